/** JSON-RPC messages of both eras: classified by the rules, and read by the era's codec without surprises. */
import { legacyServerCodec } from "../../../packages/sdk/src/era/legacy-codec.js";
import { modernClientCodec, modernServerCodec } from "../../../packages/sdk/src/era/modern-codec.js";
import { ProtocolError } from "../../../packages/sdk/src/errors/protocol-error.js";
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { MetaKey } from "../../../packages/sdk/src/protocol/meta-keys.js";
import { findNotification, findRequest } from "../../../packages/sdk/src/protocol/method-table.js";
import { REVISIONS } from "../../../packages/sdk/src/protocol/revisions.js";
import { explain } from "../../../packages/sdk/src/protocol/shape.js";
import { isJsonObject, type JsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { type Classified, classify } from "../../../packages/sdk/src/wire/classify.js";
import { correlationKey } from "../../../packages/sdk/src/wire/json-rpc.js";
import { MESSAGES } from "../messages.js";
import { mutateJson } from "../mutate-json.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const MAX_COMPLAINT = 1_000;

const stamp = modernClientCodec.requestStamp("2026-07-28", { info: { name: "fuzz", version: "1" }, capabilities: {} });

export const frames: Target = {
  name: "frames",
  share: 150,
  maxMs: 100,
  outcomes: ["request", "notification", "result", "error", "batch", "invalid"],
  generate(random) {
    const message = random.pick(MESSAGES);
    return { text: JSON.stringify(random.oneIn(10) ? message : mutateJson(random, message)) };
  },
  check(input) {
    let value: unknown;
    try {
      value = JSON.parse(field(input, "text"));
    } catch {
      return "no JSON";
    }
    const before = JSON.stringify(value);
    const message = classify(value);
    demandEqual(message.kind, expectedKind(value), "classifies by the rules of JSON-RPC");
    checkDetails(message, value);
    demand(JSON.stringify(value) === before, "changes nothing", () => before);
    return message.kind;
  },
};

/** The rules once more, from the receiver's end: which of the five a value is, if it is one. */
function expectedKind(value: unknown): Classified["kind"] {
  if (Array.isArray(value)) return value.length > 0 ? "batch" : "invalid";
  if (typeof value !== "object" || value === null) return "invalid";
  const has = (name: string) => Object.hasOwn(value, name);
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  const hasId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  if (jsonrpc !== "2.0") return "invalid";
  if (has("method")) {
    const isSound = typeof method === "string" && (!has("params") || isJsonObject(params));
    if (!isSound || has("result") || has("error")) return "invalid";
    if (!has("id")) return "notification";
    return hasId ? "request" : "invalid";
  }
  if (has("result") === has("error")) return "invalid";
  if (has("result")) return hasId && result !== undefined ? "result" : "invalid";
  const { code, message } = (isJsonObject(error) ? error : {}) as Record<string, unknown>;
  const isError = typeof code === "number" && Number.isInteger(code) && typeof message === "string";
  return isError && (hasId || !has("id") || id === null) ? "error" : "invalid";
}

function checkDetails(message: Classified, value: unknown): void {
  switch (message.kind) {
    case "request":
      demandEqual(String(correlationKey(message.message.id)), String(message.message.id), "keeps the text of an id");
      checkParams(message.message.method, message.message.params);
      break;
    case "notification":
      checkParams(message.message.method, message.message.params);
      break;
    case "result":
      checkResult(message.result);
      break;
    case "invalid":
      demand(message.reason.length < MAX_COMPLAINT, "keeps its complaint short", () => message.reason);
      if (message.id !== undefined) demandEqual(message.id, (value as JsonObject).id, "names the id it was given");
      break;
    default:
  }
}

function checkParams(method: string, params: JsonObject | undefined): void {
  for (const revision of REVISIONS) {
    for (const sender of ["client", "server"] as const) {
      const spec = findRequest(revision, sender, method) ?? findNotification(revision, sender, method);
      const fault = spec?.params(params ?? {});
      const complaint = fault === undefined ? "" : explain(fault, "params");
      demand(complaint.length < MAX_COMPLAINT, "keeps its complaint short", () => complaint);
    }
  }
  expectProtocolError(() => legacyServerCodec.decodeRequest(params, REVISIONS, undefined), [-32602]);
  expectProtocolError(() => modernServerCodec.decodeRequest(params, REVISIONS, undefined), [-32602, -32022]);
  const meta = params?._meta;
  if (isJsonObject(meta) && Object.hasOwn(meta, MetaKey.logLevel)) return;
  const { revision, clientInfo } = modernServerCodec.decodeRequest(
    modernClientCodec.encodeRequest(params, stamp),
    REVISIONS,
    undefined,
  );
  demandEqual([revision, clientInfo?.name], ["2026-07-28", "fuzz"], "reads the envelope it has written");
}

function checkResult(result: unknown): void {
  if (!isJsonObject(result)) return;
  for (const revision of REVISIONS) {
    modernServerCodec.encodeResult(result, revision, undefined, { ttlMs: 1, cacheScope: "private" });
    legacyServerCodec.encodeResult(result, revision, undefined, undefined);
  }
  try {
    modernClientCodec.decodeResult("tools/call", result);
  } catch (error) {
    const isKnown = error instanceof SdkError && error.code === "unknown-result-type";
    demand(isKnown, "refuses results by their type alone", () => String(error));
  }
}

function expectProtocolError(decode: () => { readonly era: string }, codes: readonly number[]): void {
  try {
    demandEqual(decode().era, "modern", "serves the era that was asked for");
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    demand(codes.includes(error.code), "refuses an envelope by the codes of the specification", () =>
      String(error.code),
    );
    demand(error.message.length < MAX_COMPLAINT, "keeps its complaint short", () => error.message);
  }
}
