/**
 * Cancellations that arrived before their requests: over HTTP each message may come over a connection of its own, and the
 * later one first. How many are kept, and for how long, is bounded, since most name a request that is over.
 */
import { CANCELLED } from "../../../dispatch/cancellation.js";
import { isJsonObject } from "../../../protocol/json.js";
import { TransientMap } from "../../../runtime/transient-map.js";
import type { RequestId } from "../../../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../../../wire/request-id.js";

const MAX_KEPT = 32;
const MAX_ID_LENGTH = 64;
const KEPT_MS = 10_000;

/** The id of the request that a message cancels, if it cancels one and the id is short enough to keep. */
export function cancelledId(message: unknown): RequestId | undefined {
  if (!isJsonObject(message) || message.method !== CANCELLED || !isJsonObject(message.params)) return undefined;
  const { requestId } = message.params;
  return isRequestId(requestId) && String(requestId).length <= MAX_ID_LENGTH ? requestId : undefined;
}

export class EarlyCancellations {
  /** When each of them is forgotten, by the request's key. The first in is the first to go. */
  readonly #until = new TransientMap<RequestId, number>();

  /** Keeps the id of a request that is not being served. */
  note(id: RequestId): void {
    const key = correlationKey(id);
    const now = Date.now();
    this.#until.delete(key);
    this.#until.set(key, now + KEPT_MS);
    for (let oldest = this.#until.first(); oldest; oldest = this.#until.first()) {
      if (this.#until.size <= MAX_KEPT && oldest[1] > now) return;
      this.#until.delete(oldest[0]);
    }
  }

  /** Whether a request that arrives now has been cancelled already. */
  take(id: RequestId): boolean {
    const key = correlationKey(id);
    const until = this.#until.get(key);
    if (until === undefined) return false;
    this.#until.delete(key);
    return Date.now() < until;
  }
}
