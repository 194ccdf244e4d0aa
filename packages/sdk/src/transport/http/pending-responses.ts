/** The responses that a POST still waits for: one for a request, several for a batch, none for other messages. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../../wire/json-rpc.js";
import { isBatch } from "./message-headers.js";

export class PendingResponses {
  /** The ids as sent, by their correlation key. */
  readonly #ids = new Map<RequestId, RequestId>();

  constructor(message: JsonRpcMessage | readonly JsonRpcMessage[]) {
    if (!isBatch(message)) this.#await(message);
    else for (const item of message) this.#await(item);
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  get ids(): readonly RequestId[] {
    return [...this.#ids.values()];
  }

  /** Removes a cancelled request. */
  drop(id: RequestId): void {
    this.#ids.delete(correlationKey(id));
  }

  /** Removes the request that a message answers. Returns the message; an error without an id gets the id of the only request. */
  take(message: unknown): unknown {
    // An array inside an array is not a batch and answers nothing.
    return Array.isArray(message) ? message.map((item) => this.#takeOne(item)) : this.#takeOne(message);
  }

  #takeOne(message: unknown): unknown {
    if (!isJsonObject(message) || message.method !== undefined) return message;
    const answer = isNameless(message) && this.#ids.size === 1 ? { ...message, id: this.ids[0] } : message;
    if (isRequestId(answer.id)) this.drop(answer.id);
    return answer;
  }

  #await(message: JsonRpcMessage): void {
    if ("method" in message && "id" in message) this.#ids.set(correlationKey(message.id), message.id);
  }
}

/** An error without an id, which on the stream of one request belongs to that request. */
function isNameless({ id, error }: JsonObject): boolean {
  return error !== undefined && (id === undefined || id === null);
}
