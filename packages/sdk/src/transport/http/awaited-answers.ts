/** The answers that one POST still owes: one for a request, several for a batch, none for anything else. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../../wire/request-id.js";

export class AwaitedAnswers {
  readonly #ids = new Map<RequestId, RequestId>();

  constructor(messages: readonly JsonRpcMessage[]) {
    for (const message of messages) {
      if ("method" in message && "id" in message) this.#ids.set(correlationKey(message.id), message.id);
    }
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  get ids(): readonly RequestId[] {
    return [...this.#ids.values()];
  }

  /** Nobody waits for this one any more. */
  drop(id: RequestId): void {
    this.#ids.delete(correlationKey(id));
  }

  /** Ticks off what the message answers. Returns it as its receiver should see it: an error without an id gets the request's. */
  take(message: unknown): unknown {
    if (Array.isArray(message)) return message.map((item) => this.take(item));
    if (!isJsonObject(message) || message.method !== undefined) return message;
    const answer = isNameless(message) && this.#ids.size === 1 ? { ...message, id: this.ids[0] } : message;
    if (isRequestId(answer.id)) this.drop(answer.id);
    return answer;
  }
}

/** On the stream of a request, an error that names none can only be about that one. */
function isNameless({ id, error }: JsonObject): boolean {
  return error !== undefined && (id === undefined || id === null);
}
