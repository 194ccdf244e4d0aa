/** Modern requests for tests: what a conforming client would POST, with parts to spoil. */

import { MetaKey } from "../../protocol/meta-keys.js";
import type { JsonObject } from "../../runtime/json.js";

export const REVISION = "2026-07-28";
export const POST_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export function withEnvelope(params: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  const envelope = { [MetaKey.protocolVersion]: REVISION, [MetaKey.clientCapabilities]: {} };
  return { ...params, _meta: { ...envelope, ...meta } };
}

export interface Posted {
  method: "POST";
  headers: Record<string, string>;
  body: string;
}

/** A POST as `fetch` takes it. A header given as undefined is left out. */
export function post(body: unknown, headers: Record<string, string | undefined> = {}): Posted {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...POST_HEADERS, ...headers }))
    if (value !== undefined) all[name] = value;
  return { method: "POST", headers: all, body: typeof body === "string" ? body : JSON.stringify(body) };
}

/** A modern request with all its headers. */
export function modern(
  method: string,
  params: JsonObject = withEnvelope(),
  headers: Record<string, string | undefined> = {},
  id: string | number = 1,
): Posted {
  const name = params.name ?? params.uri;
  return post(
    { jsonrpc: "2.0", id, method, params },
    {
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  );
}

export function call(name: string, args: JsonObject = {}, headers: Record<string, string | undefined> = {}): Posted {
  return modern("tools/call", withEnvelope({ name, arguments: args }), headers);
}
