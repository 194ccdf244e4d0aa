/** JSON-RPC 2.0 messages as MCP uses them. */
import type { JsonObject } from "../protocol/json.js";

/** Kept verbatim from request to answer; two ids with the same text count as one (see request-id.ts). */
export type RequestId = string | number;

export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}
export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}
export interface JsonRpcResult {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: JsonObject;
}
export interface JsonRpcError {
  readonly jsonrpc: "2.0";
  /** Absent where the failing message's id could not be read. */
  readonly id?: RequestId;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export type JsonRpcAnswer = JsonRpcResult | JsonRpcError;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcAnswer;
