/** The servers that clients are checked against: one of the modern era alone, one of the legacy era alone with sessions. */
import type { HttpCall } from "../wire/http-exchange.js";
import type { PlayedReply } from "../wire/http-listener.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";

export type PlayedEra = "modern" | "legacy";

/** One request of the client, and the status of its answer. */
export interface Sighting {
  readonly verb: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body, or `undefined`. */
  readonly value: unknown;
  readonly status: number;
}

/** A cursor that no client may change. */
export const ODD_CURSOR = "  odd cursor/+=?&%20 ";

export const SESSION_ID = "parley-check-session-0123456789";

const SERVER_INFO = { name: "parley-check", version: "0.0.0" };

const TOOLS: readonly JsonObject[] = [
  {
    name: "echo",
    description: "Repeats a text",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" }, region: { type: "string", "x-mcp-header": "Region" } },
    },
    annotations: { readOnlyHint: true },
  },
  { name: "weather", description: "Tells the weather", inputSchema: { type: "object" } },
];

export class PlayedServer {
  readonly sightings: Sighting[] = [];
  readonly #era: PlayedEra;

  constructor(era: PlayedEra) {
    this.#era = era;
  }

  /** Answers one request and remembers it. */
  play({ verb, headers, body = "" }: HttpCall): PlayedReply {
    const value = verb === "POST" ? parseJson(body) : undefined;
    const reply = this.#era === "modern" ? this.#modern(verb, value) : this.#legacy(verb, headers, value);
    this.sightings.push({ verb, headers, body, value, status: reply.status });
    return reply;
  }

  #modern(verb: string, value: unknown): PlayedReply {
    if (verb !== "POST") return { status: 405, headers: { allow: "POST" }, body: "" };
    if (!isObject(value)) return errorReply(400, undefined, -32600, "Invalid request");
    if (value.id === undefined) return { status: 202, headers: {}, body: "" };
    if (value.method === "initialize") {
      return errorReply(400, value.id, -32022, "This server speaks 2026-07-28 alone", { supported: ["2026-07-28"] });
    }
    const result =
      value.method === "server/discover"
        ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
        : resultOf(value);
    if (!result) return errorReply(404, value.id, -32601, `There is no method ${value.method}`);
    const isCacheable = value.method !== "tools/call";
    const dressed = {
      resultType: "complete",
      ...result,
      ...(isCacheable ? { ttlMs: 0, cacheScope: "private" } : {}),
      _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
    };
    // A session id that modern clients have to ignore.
    return resultReply(value.id, dressed, { "mcp-session-id": SESSION_ID });
  }

  #legacy(verb: string, headers: Readonly<Record<string, string>>, value: unknown): PlayedReply {
    if (verb === "GET") {
      const isKnown = headers["mcp-session-id"] === SESSION_ID;
      const type = { "content-type": "text/event-stream" };
      return isKnown
        ? { status: 200, headers: type, body: "", staysOpen: true }
        : { status: 404, headers: {}, body: "" };
    }
    if (verb !== "POST") return { status: verb === "DELETE" ? 200 : 405, headers: {}, body: "" };
    if (!isObject(value)) return errorReply(400, undefined, -32600, "Invalid request");
    if (value.method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: SERVER_INFO };
      return resultReply(value.id, result, { "mcp-session-id": SESSION_ID });
    }
    if (headers["mcp-session-id"] !== SESSION_ID) return errorReply(400, undefined, -32000, "A session id is required");
    if (value.id === undefined) return { status: 202, headers: {}, body: "" };
    const result = value.method === "ping" ? {} : resultOf(value);
    return result
      ? resultReply(value.id, result, {})
      : errorReply(200, value.id, -32601, `There is no method ${value.method}`);
  }
}

function resultOf({ method, params }: JsonObject): JsonObject | undefined {
  const { cursor } = isObject(params) ? params : {};
  if (method === "tools/list")
    return cursor === undefined ? { tools: TOOLS.slice(0, 1), nextCursor: ODD_CURSOR } : { tools: TOOLS.slice(1) };
  if (method === "tools/call") return { content: [{ type: "text", text: "done" }] };
  return undefined;
}

function resultReply(id: unknown, result: JsonObject, headers: Readonly<Record<string, string>>): PlayedReply {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id, result }),
  };
}

function errorReply(status: number, id: unknown, code: number, message: string, data?: JsonObject): PlayedReply {
  const error = { code, message, ...(data ? { data } : {}) };
  const body = JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error });
  return { status, headers: { "content-type": "application/json" }, body };
}
