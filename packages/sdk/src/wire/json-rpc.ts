/** JSON-RPC 2.0 messages as MCP uses them, and the comparison of request ids. */
import type { JsonObject } from "../runtime/json.js";

/** Id of a request, returned unchanged in the answer. `7` and `"7"` count as the same id. */
export type RequestId = string | number;

/** A request. */
export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}
/** A notification, which has no answer. */
export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}
/** The answer to a request that succeeded. */
export interface JsonRpcResult {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: JsonObject;
}
/** The error answer to a request. */
export interface JsonRpcError {
  readonly jsonrpc: "2.0";
  /** Absent if the id of the refused message could not be read. */
  readonly id?: RequestId;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export type JsonRpcAnswer = JsonRpcResult | JsonRpcError;
/** Any message of JSON-RPC. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcAnswer;

/** Whether a value is a string or a safe integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** The map key of an id: equal for `"7"` and `7`. */
export function correlationKey(id: RequestId): RequestId {
  if (typeof id === "number") return id;
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}
