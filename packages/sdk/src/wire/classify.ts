/** Classifies a parsed value as a JSON-RPC request, notification, result, error, batch or invalid message. Never throws. */
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { JsonRpcError, JsonRpcNotification, JsonRpcRequest, RequestId } from "./json-rpc.js";
import { isRequestId } from "./json-rpc.js";

export interface InvalidMessage {
  readonly kind: "invalid";
  /** The id, if it is valid. */
  readonly id: RequestId | undefined;
  /** The likely kind. Invalid notifications and answers are never answered. */
  readonly meantAs: "request" | "notification" | "answer" | "unclear";
  readonly reason: string;
}

export interface ClassifiedRequest {
  readonly kind: "request";
  readonly message: JsonRpcRequest;
}

export type ClassifiedMessage =
  | ClassifiedRequest
  | { readonly kind: "notification"; readonly message: JsonRpcNotification }
  | { readonly kind: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId | undefined; readonly error: JsonRpcError["error"] }
  | InvalidMessage;

export interface ClassifiedBatch {
  readonly kind: "batch";
  readonly items: readonly ClassifiedMessage[];
}

export type Classified = ClassifiedMessage | ClassifiedBatch;

export function classify(value: unknown): Classified {
  if (!Array.isArray(value)) return classifyMessage(value);
  return value.length === 0
    ? invalid("unclear", undefined, "a batch must not be empty")
    : { kind: "batch", items: value.map(classifyMessage) };
}

function classifyMessage(value: unknown): ClassifiedMessage {
  if (Array.isArray(value)) return invalid("unclear", undefined, "a batch must not hold another");
  if (!isJsonObject(value)) return invalid("unclear", undefined, "a message must be an object");
  return value.method === undefined ? classifyAnswer(value) : classifyCall(value);
}

function classifyCall(value: JsonObject): ClassifiedMessage {
  const { id, method, params } = value;
  const isNotification = id === undefined && typeof method === "string";
  const meantAs = isNotification ? "notification" : "request";
  if (value.jsonrpc !== "2.0") return invalid(meantAs, id, 'jsonrpc must be "2.0"');
  if (typeof method !== "string") return invalid(meantAs, id, "method must be a string");
  if (value.result !== undefined || value.error !== undefined) {
    return invalid(meantAs, id, "a message with a method must have neither result nor error");
  }
  if (params !== undefined && !isJsonObject(params)) return invalid(meantAs, id, "params must be an object");
  // The members that JsonRpcNotification and JsonRpcRequest name were all checked above.
  if (isNotification) return { kind: "notification", message: value as unknown as JsonRpcNotification };
  if (!isRequestId(id)) return invalid(meantAs, id, "id must be a string or an integer below 2^53");
  return { kind: "request", message: value as unknown as JsonRpcRequest };
}

function classifyAnswer(value: JsonObject): ClassifiedMessage {
  const { id, result, error } = value;
  if (result === undefined && error === undefined) {
    return invalid("unclear", id, "a message must have a method, a result or an error");
  }
  if (value.jsonrpc !== "2.0") return invalid("answer", id, 'jsonrpc must be "2.0"');
  if (error === undefined) {
    return isRequestId(id)
      ? { kind: "result", id, result }
      : invalid("answer", id, "id must be a string or an integer below 2^53");
  }
  if (result !== undefined) return invalid("answer", id, "an answer must not have both a result and an error");
  if (!isErrorMember(error)) return invalid("answer", id, "error must have an integer code and a string message");
  if (id === undefined || id === null) return { kind: "error", id: undefined, error };
  return isRequestId(id)
    ? { kind: "error", id, error }
    : invalid("answer", id, "id must be a string or an integer below 2^53");
}

function isErrorMember(error: unknown): error is JsonRpcError["error"] {
  return isJsonObject(error) && Number.isInteger(error.code) && typeof error.message === "string";
}

function invalid(meantAs: InvalidMessage["meantAs"], id: unknown, reason: string): InvalidMessage {
  return { kind: "invalid", id: isRequestId(id) ? id : undefined, meantAs, reason };
}
