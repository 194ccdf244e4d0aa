/** What the body of one POST holds: requests to answer, and the rest, which is only accepted. */
import { ErrorCode } from "../../../protocol/error-codes.js";
import { classify, type InvalidMessage } from "../../../wire/classify.js";
import type { JsonRpcRequest, RequestId } from "../../../wire/json-rpc.js";
import { serializeJson } from "../../../wire/json-text.js";
import { badRequest } from "./refusals.js";

/** A request to answer, something to take in, or what a batch has in the place of a message: its error answer. */
export type Posted =
  | { readonly kind: "request"; readonly request: JsonRpcRequest }
  | { readonly kind: "other"; readonly message: unknown }
  | { readonly kind: "error"; readonly text: string };

/** `maxItems` is 0 where batches do not exist. @throws {HttpRefusal} 400 for what is no message, and for a batch over it. */
export function readPosted(body: unknown, maxItems: number): readonly Posted[] {
  if (!Array.isArray(body)) return [readMessage(body)];
  if (maxItems === 0) throw badRequest("Invalid request: batches exist in 2025-03-26 alone");
  if (body.length === 0) throw badRequest("Invalid request: a batch must not be empty");
  if (body.length > maxItems) {
    throw badRequest(`Invalid request: a batch must not hold more than ${maxItems} messages`);
  }
  return body.map(readItem);
}

/** Whether a body opens a session: one `initialize`, by itself. */
export function isInitialize(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "initialize";
}

function readMessage(message: unknown): Posted {
  const classified = classify(message);
  if (classified.kind === "invalid") throw badRequest(`Invalid request: ${classified.reason}`);
  return classified.kind === "request" ? { kind: "request", request: classified.message } : { kind: "other", message };
}

function readItem(message: unknown): Posted {
  const classified = classify(message);
  if (classified.kind === "invalid") return { kind: "error", text: errorText(classified) };
  if (classified.kind === "batch") return itemError(undefined, "a batch must not hold another");
  if (classified.kind !== "request") return { kind: "other", message };
  const { id, method } = classified.message;
  if (method === "initialize") return itemError(id, "initialize must not be part of a batch");
  return { kind: "request", request: classified.message };
}

function itemError(id: RequestId | undefined, reason: string): Posted {
  return { kind: "error", text: errorText({ id, reason }) };
}

export function errorText({ id, reason }: Pick<InvalidMessage, "id" | "reason">): string {
  const error = { code: ErrorCode.invalidRequest, message: `Invalid request: ${reason}` };
  return serializeJson({ jsonrpc: "2.0", id, error });
}

/** The ids of all that wants an answer. */
export function requestIds(body: unknown): RequestId[] {
  return [body].flat().flatMap((item) => {
    const message = classify(item);
    return message.kind === "request" ? [message.message.id] : [];
  });
}
