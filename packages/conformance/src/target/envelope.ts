/** What the checker puts around a request: the metadata of the modern era, its mirror in HTTP headers, the handshake. */
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import type { AskOptions } from "./target.js";

export const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

/** The id of the tasks extension among the capabilities of the modern era. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export const CLIENT_INFO: JsonObject = { name: "parley-check", version: "0.0.0" };

/** The param that Mcp-Name repeats, by method. */
const NAMED_PARAMS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export function isModern(revision: Revision): boolean {
  return revision >= NEWEST_REVISION;
}

export function initializeParams(protocolVersion: string): JsonObject {
  return { protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO };
}

/** The params of a request with the metadata of its revision. */
export function withMeta(revision: Revision, params: JsonObject, options: AskOptions): JsonObject {
  if (options.meta === null) return params;
  const own = isModern(revision)
    ? { [REVISION_KEY]: revision, [CLIENT_INFO_KEY]: CLIENT_INFO, [CLIENT_CAPABILITIES_KEY]: {} }
    : {};
  const given = isObject(params._meta) ? params._meta : {};
  const meta = withoutUndefined({ ...own, ...given, ...options.meta });
  return Object.keys(meta).length > 0 || isModern(revision) ? { ...params, _meta: meta } : params;
}

/** The headers that mirror a modern message. */
export function mirrorHeaders(revision: Revision, message: JsonObject): Record<string, string> {
  const params = isObject(message.params) ? message.params : {};
  const meta = isObject(params._meta) ? params._meta : {};
  const named = meta[REVISION_KEY];
  const headers: Record<string, string> = { "MCP-Protocol-Version": typeof named === "string" ? named : revision };
  if (typeof message.method === "string") headers["Mcp-Method"] = message.method;
  const name = params[NAMED_PARAMS[String(message.method)] ?? ""];
  if (typeof name === "string") headers["Mcp-Name"] = headerValue(name);
  return headers;
}

/** The headers that mirror annotated arguments of a tool. */
export function paramHeaders(tool: JsonObject | undefined, args: unknown): Record<string, string> {
  return Object.fromEntries(
    annotationsOf(tool).flatMap(([name, header]) => {
      const value = isObject(args) ? args[name] : undefined;
      return value === undefined || value === null ? [] : [[`Mcp-Param-${header}`, headerValue(String(value))]];
    }),
  );
}

/** The arguments of a tool that have an x-mcp-header, and its value. */
export function annotationsOf(tool: JsonObject | undefined): [name: string, header: string][] {
  const schema = isObject(tool?.inputSchema) ? tool.inputSchema : {};
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.flatMap(([name, property]): [string, string][] =>
    isObject(property) && "x-mcp-header" in property ? [[name, String(property["x-mcp-header"])]] : [],
  );
}

/** A value as a header carries it: as it is, or in Base64 between its markers. */
export function headerValue(value: string): string {
  const isSafe = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isSafe ? value : base64Header(value);
}

export function base64Header(value: string): string {
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

export function withoutUndefined<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Record<string, Value>;
}
