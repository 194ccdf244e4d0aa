/** What a client mirrors into headers is what a server holds against the body: equal passes, anything else does not. */
import { validateHeaderName } from "node:http";
import { modernClientCodec } from "../../../packages/sdk/src/era/modern-codec.js";
import { findHeaderFault } from "../../../packages/sdk/src/hosting/http/request-headers.js";
import { REVISIONS } from "../../../packages/sdk/src/protocol/revisions.js";
import {
  findToolHeaders,
  type ToolHeader,
  valueAt,
} from "../../../packages/sdk/src/protocol/tool-header-annotations.js";
import { isJsonObject, type JsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { modernHeaders, paramHeaders } from "../../../packages/sdk/src/transport/http/message-headers.js";
import { decodeHeaderValue } from "../../../packages/sdk/src/wire/header-value.js";
import type { JsonRpcRequest } from "../../../packages/sdk/src/wire/json-rpc.js";
import { mutateJson } from "../mutate-json.js";
import { mutateText } from "../mutate-text.js";
import { requestWith } from "../request-with.js";
import { demand, demandEqual, type FuzzInput, field, type Target } from "../target.js";

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    shard: { type: ["integer", "null"], "x-mcp-header": "Shard" },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
    free: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
};
const ARGUMENTS = { region: "eu", shard: 7, dry: true, where: { city: "Bath" }, free: "x" };
const REVISION = "2026-07-28";
const stamp = modernClientCodec.requestStamp(REVISION, { info: { name: "fuzz", version: "1" }, capabilities: {} });

export const mirroredHeaders: Target = {
  name: "mirrored-headers",
  share: 60,
  maxMs: 100,
  outcomes: ["passes", "refused", "unusable schema"],
  generate(random) {
    return {
      schema: JSON.stringify(random.oneIn(3) ? SCHEMA : mutateJson(random, SCHEMA)),
      args: JSON.stringify(random.oneIn(4) ? ARGUMENTS : mutateJson(random, ARGUMENTS)).toWellFormed(),
      name: random.oneIn(2) ? "deploy" : mutateText(random, "deploy").toWellFormed(),
      header: random.pick([
        "",
        "",
        "mcp-name",
        "mcp-method",
        "mcp-protocol-version",
        "mcp-param-region",
        "mcp-param-shard",
      ]),
      value: mutateText(random, random.pick(["eu", "7", "7.0", "tools/call", REVISION, "deploy", "=?base64?ZXU=?="])),
    };
  },
  check(input) {
    const message = messageOf(input);
    if (message === undefined) return "no request";
    const found = findToolHeaders(JSON.parse(field(input, "schema")));
    if (!found.ok) {
      demand(found.reason.length < 20_000, "keeps its complaint short", () => found.reason);
      return "unusable schema";
    }
    for (const { header } of found.headers) validateHeaderName(header);
    demandEqual(
      new Set(found.headers.map(({ header }) => header)).size,
      found.headers.length,
      "gives each header one argument",
    );
    const headers = sentHeaders(message, found.headers, input);
    if (headers === undefined) return "no header";
    const server = { revisions: REVISIONS, mirroredParam: () => undefined, toolHeaders: () => found.headers };
    const fault = findHeaderFault(
      message,
      requestWith((name) => headers.get(name) ?? undefined),
      server,
    );
    const isEqual = areEqual(message, headers, found.headers);
    demandEqual(fault === undefined, isEqual, "passes if and only if headers and body say the same");
    if (fault === undefined) return "passes";
    demandEqual(fault.code, -32020, "calls it a header mismatch");
    return "refused";
  },
};

function messageOf(input: FuzzInput): JsonRpcRequest | undefined {
  try {
    JSON.parse(field(input, "schema"));
    const args: unknown = JSON.parse(field(input, "args"));
    // As it is after the wire.
    const params = JSON.parse(
      JSON.stringify({ name: field(input, "name"), arguments: args }).toWellFormed(),
    ) as JsonObject;
    return {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: modernClientCodec.encodeRequest(params, stamp) as JsonObject,
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Undefined where the value that somebody puts in place of one is no value at all to HTTP. */
function sentHeaders(
  message: JsonRpcRequest,
  toolHeaders: readonly ToolHeader[],
  input: FuzzInput,
): Headers | undefined {
  const headers = new Headers(modernHeaders(REVISION, message));
  const mirrored = paramHeaders(toolHeaders, message.params?.arguments);
  for (const [name, value] of Object.entries(mirrored)) headers.set(name, value);
  if (field(input, "header") === "") return headers;
  try {
    headers.set(field(input, "header"), field(input, "value"));
  } catch {
    return undefined;
  }
  return headers;
}

function areEqual(message: JsonRpcRequest, headers: Headers, toolHeaders: readonly ToolHeader[]): boolean {
  const { method, params } = message;
  const plain = headers.get("mcp-protocol-version") === REVISION && headers.get("mcp-method") === method;
  if (!plain || !isSame(headers.get("mcp-name"), params?.name)) return false;
  return toolHeaders.every(({ header, path }) => isSame(headers.get(header), valueAt(params?.arguments, path)));
}

function isSame(stated: string | null, value: unknown): boolean {
  if (value === undefined || value === null || Array.isArray(value) || isJsonObject(value)) return stated === null;
  if (stated === null) return false;
  let text: string;
  try {
    text = decodeHeaderValue(stated);
  } catch {
    return false;
  }
  if (typeof value !== "number") return text === String(value);
  const isSafe = !Number.isInteger(value) || Number.isSafeInteger(value);
  return isSafe && /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(text) && Number.parseFloat(text) === value;
}
