/**
 * The cancellation notification, the requests that cannot be cancelled, and cancellations that arrive before their request.
 * The tables of requests are in served-requests.ts and pending-requests.ts.
 */
import type { JsonObject } from "../runtime/json.js";
import type { JsonRpcNotification, RequestId } from "../wire/json-rpc.js";
import { isRequestId } from "../wire/json-rpc.js";

export const CANCELLED = "notifications/cancelled";

const MAX_EARLY = 32;
const MAX_ENDED = 16;
const MAX_ID_LENGTH = 64;
const EARLY_MS = 10_000;

/** Neither side may cancel `initialize` and `server/discover`, which open a connection. */
export function isCancellable(method: string): boolean {
  return method !== "initialize" && method !== "server/discover";
}

export function cancelledNotification(requestId: RequestId, reason: string): JsonRpcNotification {
  return { jsonrpc: "2.0", method: CANCELLED, params: { requestId, reason } };
}

/**
 * Cancellations that arrived before their requests. Over HTTP, the two may use different connections. Most cancellations
 * without a request name one that has ended, so few are kept, for a short time.
 */
export class EarlyCancellations {
  /** Expiry time by request id, oldest first. Undefined until a cancellation is kept: most sessions keep none. */
  #expiries: Map<RequestId, number> | undefined;
  /** The ids of the latest requests that ended. */
  #ended: RequestId[] | undefined;
  #nextEnded = 0;

  /** Remembers the id of a request that was answered or cancelled. */
  ended(id: RequestId): void {
    if (String(id).length > MAX_ID_LENGTH) return;
    // Sessions that idle have ended one request. An array that grows from empty has room for 17 ids.
    if (this.#ended === undefined) this.#ended = [id];
    else this.#ended[this.#nextEnded] = id;
    this.#nextEnded = (this.#nextEnded + 1) % MAX_ENDED;
  }

  /** Keeps the id in the params of a cancellation, unless it is malformed, too long, or that of a request that ended. */
  note(params: JsonObject | undefined): void {
    const id = params?.requestId;
    if (!isRequestId(id) || String(id).length > MAX_ID_LENGTH || this.#ended?.includes(id)) return;
    const now = Date.now();
    this.#expiries ??= new Map();
    const expiries = this.#expiries;
    expiries.delete(id);
    expiries.set(id, now + EARLY_MS);
    for (const [oldest, expiresAt] of expiries) {
      if (expiries.size <= MAX_EARLY && expiresAt > now) return;
      expiries.delete(oldest);
    }
  }

  /** Whether a request that arrives now was cancelled before. Removes the cancellation. */
  take(id: RequestId): boolean {
    const expiresAt = this.#expiries?.get(id);
    if (expiresAt === undefined) return false;
    this.#expiries?.delete(id);
    return Date.now() < expiresAt;
  }
}
