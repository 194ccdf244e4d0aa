/** POSTs of conforming clients as `fetch` takes them, with parts that a test may spoil. */
import type { JsonObject } from "parley-mcp/types";
import { type ConnectionLog, noteMessage, openLog } from "../wire-log.js";

export const MODERN = "2026-07-28";
/** The revision of a request without an envelope. */
const LEGACY = "2025-11-25";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** A header given as undefined is left out. */
export type PostHeaders = Readonly<Record<string, string | undefined>>;

export interface Post {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Any body; text goes out as it is. */
export function post(body: unknown, headers: PostHeaders = {}): Post {
  const accept = "application/json, text/event-stream";
  const all = Object.entries({ "content-type": "application/json", accept, ...headers });
  return {
    method: "POST",
    headers: Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** Params with the envelope of a modern request; a member of `meta` given as undefined is left out. */
export function enveloped(params: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  return { ...params, _meta: { [VERSION]: MODERN, [CAPABILITIES]: {}, ...meta } };
}

/** A modern request with all its headers. */
export function modernPost(
  method: string,
  params: JsonObject = enveloped(),
  headers: PostHeaders = {},
  id: string | number = 1,
): Post {
  const name = params.name ?? params.uri;
  const mirrored = typeof name === "string" ? { "mcp-name": name } : {};
  const standard = { "mcp-protocol-version": MODERN, "mcp-method": method, ...mirrored };
  return post({ jsonrpc: "2.0", id, method, params }, { ...standard, ...headers });
}

export function callPost(name: string, args: JsonObject = {}, headers: PostHeaders = {}): Post {
  return modernPost("tools/call", enveloped({ name, arguments: args }), headers);
}

export function initializePost(headers: PostHeaders = {}): Post {
  const clientInfo = { name: "raw-client", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  return post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, headers);
}

export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; undefined if there is none. */
  readonly json: JsonObject | undefined;
}

/** Sends a request that is answered with JSON or nothing. Both messages go into the log of the test. */
export async function exchange(url: string | URL, request: RequestInit = {}): Promise<Outcome> {
  const log = openLog("server", LEGACY);
  log.noteText("client", String(request.body));
  return outcomeOf(fetch(url, request), log);
}

/** The response to a request that is answered with JSON or nothing. A message in it goes into the log of the test. */
export async function outcomeOf(
  response: Response | Promise<Response>,
  log: ConnectionLog = openLog("server", LEGACY),
): Promise<Outcome> {
  const { status, headers } = await response;
  const text = await (await response).text();
  noteMessage(log, "server", text);
  return { status, headers, json: text === "" ? undefined : JSON.parse(text) };
}

/** What a refused request is answered with. */
export function refused(status: number, code: number, id?: string | number): object {
  const answer = { jsonrpc: "2.0", ...(id !== undefined && { id }) };
  return { status, json: { ...answer, error: { code } } };
}
