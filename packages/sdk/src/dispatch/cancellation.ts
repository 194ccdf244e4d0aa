/**
 * The notification that cancels a request, the requests it may never name, and cancellations that arrive before their
 * requests. The tables of requests themselves are in served-requests.ts and pending-requests.ts.
 */
import type { JsonObject } from "../runtime/json.js";
import { TransientMap } from "../runtime/transient-map.js";
import type { JsonRpcNotification, RequestId } from "../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../wire/json-rpc.js";

export const CANCELLED = "notifications/cancelled";

const MAX_EARLY = 32;
const MAX_ID_LENGTH = 64;
const EARLY_MS = 10_000;

/** The two requests that open a conversation are never cancelled on the wire, by either side. */
export function isCancellable(method: string): boolean {
  return method !== "initialize" && method !== "server/discover";
}

export function cancelledNotification(requestId: RequestId, reason: string): JsonRpcNotification {
  return { jsonrpc: "2.0", method: CANCELLED, params: { requestId, reason } };
}

/**
 * Cancellations that arrived before their requests: over HTTP each message may come over a connection of its own. Most
 * cancellations name a request that has ended, so their number and age are bounded.
 */
export class EarlyCancellations {
  /** Expiry by the key of the request, oldest first. */
  readonly #expiries = new TransientMap<RequestId, number>();

  /** Keeps the id in the params of a cancellation, unless it is malformed or too long. */
  note(params: JsonObject | undefined): void {
    const id = params?.requestId;
    if (!isRequestId(id) || String(id).length > MAX_ID_LENGTH) return;
    const key = correlationKey(id);
    const now = Date.now();
    this.#expiries.delete(key);
    this.#expiries.set(key, now + EARLY_MS);
    for (let oldest = this.#expiries.first(); oldest; oldest = this.#expiries.first()) {
      if (this.#expiries.size <= MAX_EARLY && oldest[1] > now) return;
      this.#expiries.delete(oldest[0]);
    }
  }

  /** Whether a request that arrives now was cancelled before. Forgets the cancellation. */
  take(id: RequestId): boolean {
    const key = correlationKey(id);
    const expiresAt = this.#expiries.get(key);
    if (expiresAt === undefined) return false;
    this.#expiries.delete(key);
    return Date.now() < expiresAt;
  }
}
