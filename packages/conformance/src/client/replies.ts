/** Answers of played servers: results, errors and event streams in the form of an era. */
import type { PlayedReply } from "../wire/http-listener.js";
import type { JsonObject } from "../wire/json-rpc.js";
import type { SeenRequest } from "./sighting.js";

const SERVER_INFO: JsonObject = { name: "parley-check", version: "0.0.0" };

const CACHEABLE = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

/** Whether a request carries the metadata of the modern era. */
export function isModernRequest({ meta }: SeenRequest): boolean {
  return "io.modelcontextprotocol/protocolVersion" in meta;
}

/** The answer to a request as a message. Results of the modern era get what that era asks of each result. */
export function resultMessage(request: SeenRequest, result: JsonObject): JsonObject {
  const isCacheable = CACHEABLE.has(request.method) && (result.resultType ?? "complete") === "complete";
  const dressed = isModernRequest(request)
    ? {
        resultType: "complete",
        ...result,
        ...(isCacheable ? { ttlMs: 0, cacheScope: "private" } : {}),
        _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
      }
    : result;
  return { jsonrpc: "2.0", id: request.message.id, result: dressed };
}

export function answer(
  request: SeenRequest,
  result: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): PlayedReply {
  return {
    status: 200,
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(resultMessage(request, result)),
  };
}

export function textAnswer(request: SeenRequest, text: string): PlayedReply {
  return answer(request, { content: [{ type: "text", text }] });
}

export function refuse(status: number, id: unknown, code: number, message: string, data?: JsonObject): PlayedReply {
  const error = { code, message, ...(data ? { data } : {}) };
  const body = JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error });
  return { status, headers: JSON_TYPE, body };
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): PlayedReply {
  return { status, headers, body: "" };
}

export interface EventFields {
  readonly id?: string;
  readonly retry?: number;
  readonly event?: string;
}

/** One server-sent event with a message, or with text as it is. */
export function event(data: JsonObject | string, { id, retry, event: name }: EventFields = {}): string {
  const lines = [
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    `data: ${typeof data === "string" ? data : JSON.stringify(data)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

export function eventStream(body: PlayedReply["body"], ending?: PlayedReply["ending"]): PlayedReply {
  return { status: 200, headers: STREAM_TYPE, body, ...(ending ? { ending } : {}) };
}
