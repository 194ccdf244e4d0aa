/** HTTP headers of a message: its revision, its method and name, and arguments that a tool mirrors in headers. */
import { HttpHeader, mirroredName } from "../../protocol/http-headers.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { isLegacyRevision } from "../../protocol/revisions.js";
import { type ToolHeader, valueAt } from "../../protocol/tool-header-annotations.js";
import { isJsonObject } from "../../runtime/json.js";
import { encodeHeaderValue } from "../../wire/header-value.js";
import type { JsonRpcMessage, JsonRpcNotification, JsonRpcRequest } from "../../wire/json-rpc.js";
import type { HeaderFields } from "./endpoint-client.js";

function isCall(message: JsonRpcMessage): message is JsonRpcRequest | JsonRpcNotification {
  return "method" in message;
}

export function isBatch(message: JsonRpcMessage | readonly JsonRpcMessage[]): message is readonly JsonRpcMessage[] {
  return Array.isArray(message);
}

/** The method of a single request or notification. */
export function methodOf(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | undefined {
  return !isBatch(message) && isCall(message) ? message.method : undefined;
}

/** The revision in the `_meta` of a modern request. Undefined for legacy messages and for notifications. */
export function modernRevisionOf(message: JsonRpcMessage): string | undefined {
  const meta = isCall(message) ? message.params?._meta : undefined;
  const revision = isJsonObject(meta) ? meta[MetaKey.protocolVersion] : undefined;
  return typeof revision === "string" && !isLegacyRevision(revision) ? revision : undefined;
}

export function modernHeaders(revision: string, message: JsonRpcMessage): HeaderFields {
  const headers: Record<string, string> = { [HttpHeader.revision]: revision };
  if (!isCall(message)) return headers;
  const { method, params } = message;
  const name = mirroredName(method, params);
  headers[HttpHeader.method] = encodeHeaderValue(method);
  if (name !== undefined) headers[HttpHeader.name] = encodeHeaderValue(name);
  return headers;
}

/** Headers for the arguments that a tool definition mirrors. Absent, null and invalid values get no header. */
export function paramHeaders(toolHeaders: readonly ToolHeader[], args: unknown): HeaderFields {
  const headers: Record<string, string> = {};
  for (const { header, path } of toolHeaders) {
    const value = valueAt(args, path);
    if (typeof value === "string") headers[header] = encodeHeaderValue(value);
    else if (typeof value === "boolean" || Number.isSafeInteger(value)) headers[header] = String(value);
  }
  return headers;
}
