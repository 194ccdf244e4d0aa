/** Header values of a request, as long as Node lets all headers together be, against bodies as long as they may be. */
import { modernClientCodec } from "../../../packages/sdk/src/era/modern-codec.js";
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { Cors } from "../../../packages/sdk/src/hosting/http/cors.js";
import { HostChecks } from "../../../packages/sdk/src/hosting/http/host-checks.js";
import type { HttpResponse } from "../../../packages/sdk/src/hosting/http/http-host.js";
import { HttpRefusal } from "../../../packages/sdk/src/hosting/http/http-refusal.js";
import { acceptsAnswers, isJsonType } from "../../../packages/sdk/src/hosting/http/media-types.js";
import { findHeaderFault } from "../../../packages/sdk/src/hosting/http/request-headers.js";
import { REVISIONS } from "../../../packages/sdk/src/protocol/revisions.js";
import type { JsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from "../../../packages/sdk/src/wire/header-value.js";
import { requestWith } from "../request-with.js";
import type { CostTarget } from "./cost-target.js";
import { type RepeatedText, repeated, textCost } from "./repeated-text.js";

/** Node's default for all headers of a request. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const REVISION = "2026-07-28";

const stamp = modernClientCodec.requestStamp(REVISION, { info: { name: "fuzz", version: "1" }, capabilities: {} });
const checks = new HostChecks(["mcp.example.com"], ["https://app.example"]);
const cors = new Cors({ origins: ["https://app.example"] });
const nowhere: HttpResponse = {
  send: () => undefined,
  stream: () => {
    throw new Error("A preflight has no stream");
  },
};

/** Readers of one header each, with values to begin with. */
const HEADERS: Readonly<Record<string, readonly [read: (value: string) => void, seeds: readonly RepeatedText[]]>> = {
  value: [
    readValue,
    [repeated("a"), repeated("AAAA", "=?base64?", "?="), repeated("a ", " "), repeated(" ", "a", "\u00e9")],
  ],
  "content-type": [
    (value) => void isJsonType(value),
    [
      repeated(";a=b", "application/json"),
      repeated(" ", "application/json;", "charset=utf-8"),
      repeated(";charset=", "a"),
    ],
  ],
  accept: [
    (value) => void acceptsAnswers(value),
    [repeated("a/b,"), repeated("*/*;q=0.0,"), repeated("0", "*/*;q=0.", "1"), repeated(";q=", "*/*"), repeated(",")],
  ],
  host: [
    (value) => checkHost({ host: value }),
    [repeated("a."), repeated(":", "[", "]"), repeated("1", "localhost:"), repeated("a", "", ":99999x")],
  ],
  origin: [
    (value) => checkHost({ host: "localhost", origin: value }),
    [repeated("a.", "https://"), repeated("/", "http:"), repeated("1", "http://localhost:")],
  ],
  preflight: [preflight, [repeated("mcp-param-%i,"), repeated(","), repeated(" ,a"), repeated("accept,")]],
  name: [(value) => checkMirror(value, "deploy"), [repeated("a"), repeated("AAAA", "=?base64?", "?=")]],
  argument: [
    (value) => checkMirror("deploy", value),
    [repeated("1"), repeated("1", "1.", "e9"), repeated("AAAA", "=?base64?", "?=")],
  ],
};

const HEADER_PIECES: readonly string[] = [
  ",",
  ";",
  "=",
  "/",
  "*",
  " ",
  "\t",
  '"',
  "q=0",
  "0",
  "a",
  "A",
  ".",
  ":",
  "[",
  "-",
  "?=",
];

const headerCosts = Object.entries(HEADERS).map(([name, [read, seeds]]) =>
  textCost({
    name: `cost-header-${name}`,
    seeds,
    pieces: HEADER_PIECES,
    maxLength: MAX_HEADER_BYTES,
    prepare: (text) => () => read(text),
  }),
);

/** A name in the body that a header is held against. */
const mirroredName = textCost({
  name: "cost-header-mirrored-name",
  seeds: [repeated("a"), repeated("\u0001"), repeated("\u4e00")],
  pieces: ["\ud800", '"', "\\", " ", "%i"],
  maxLength: MAX_BODY_BYTES,
  prepare: (text) => () => checkMirror("deploy", "1", text),
});

/** Names and arguments that a client repeats in headers may come from its server. */
const encodedValue = textCost({
  name: "cost-header-encode",
  seeds: [repeated("a"), repeated("a", "", "\u00e9"), repeated("\u4e00"), repeated(" ", "a")],
  pieces: ["\ud800", "\t", "\0", "=?base64?", "?="],
  // Three bytes a character at most, in a line of 10 MiB.
  maxLength: (10 * 1024 * 1024) / 3,
  prepare: (text) => () => encode(text),
});

export const HEADER_COSTS: readonly CostTarget<RepeatedText>[] = [...headerCosts, mirroredName, encodedValue];

function encode(text: string): void {
  try {
    encodeHeaderValue(text);
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
  }
}

function readValue(value: string): void {
  try {
    encodeHeaderValue(decodeHeaderValue(value));
  } catch (error) {
    if (!(error instanceof HeaderValueError)) throw error;
  }
}

function checkHost(headers: Readonly<Record<string, string>>): void {
  try {
    const request = requestWith((name) => headers[name]);
    checks.checkHost(request);
    checks.checkOrigin(request);
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
  }
}

function preflight(asked: string): void {
  const headers: Readonly<Record<string, string>> = {
    origin: "https://app.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": asked,
  };
  cors.preflight({ ...requestWith((name) => headers[name]), method: "OPTIONS" }, "POST", nowhere);
}

function checkMirror(name: string, argument: string, nameInBody = "deploy"): void {
  const headers: Readonly<Record<string, string>> = {
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": name,
    "mcp-param-shard": argument,
  };
  // The codec adds an envelope to an object and gives an object.
  const params = modernClientCodec.encodeRequest({ name: nameInBody, arguments: { shard: 7 } }, stamp) as JsonObject;
  const toolHeaders = () => [{ header: "mcp-param-shard", path: ["shard"] }];
  findHeaderFault(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    requestWith((header) => headers[header]),
    { revisions: REVISIONS, toolHeaders, mirroredParam: () => undefined },
  );
}
