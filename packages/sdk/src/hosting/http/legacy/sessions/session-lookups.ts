/**
 * Limits on the requests that wait for the session store. Clients choose the ids, so random ids must cost the store and other
 * clients little. Callers with a principal and those without one have separate limits.
 */
import { limitReached } from "../../../../errors/limit-reached.js";
import { type LimitLevel, Quota } from "../../../../runtime/quota.js";
import type { Caller } from "../../../../transport/caller.js";
import { limitRefusal } from "../../error-status.js";
import type { HttpRefusal } from "../../http-refusal.js";

/** Requests of all callers with a principal, or of all callers without one. */
const MAX_LOOKUPS = 4_096;
/** Requests of one principal, or of one address without a principal. */
const MAX_LOOKUPS_PER_CALLER = 256;

export class SessionLookups {
  readonly #named = new Quota(MAX_LOOKUPS, MAX_LOOKUPS_PER_CALLER);
  readonly #anonymous = new Quota(MAX_LOOKUPS, MAX_LOOKUPS_PER_CALLER);
  /** The bytes of the server. A message counts while it waits. */
  readonly #bytes: Quota;

  constructor(bytes: Quota) {
    this.#bytes = bytes;
  }

  /** Calls `read`, and counts the request until the promise settles. @throws {HttpRefusal} 429 or 503 at a limit. */
  async track<Found>({ principal, address, messageBytes = 0 }: Caller, read: () => Promise<Found>): Promise<Found> {
    const isNamed = principal !== undefined;
    const requests = isNamed ? this.#named : this.#anonymous;
    const owner = isNamed ? principal : address;
    const full = requests.fullLevel(owner, 1);
    if (full) throw tooMany("requests", full === "principal" && !isNamed ? "address" : full);
    const fullBytes = this.#bytes.fullLevel(principal, messageBytes);
    if (fullBytes) throw tooMany("bytes", fullBytes);
    requests.take(owner, 1);
    this.#bytes.take(principal, messageBytes);
    try {
      return await read();
    } finally {
      requests.take(owner, -1);
      this.#bytes.take(principal, -messageBytes);
    }
  }
}

function tooMany(what: "requests" | "bytes", level: LimitLevel): HttpRefusal {
  return limitRefusal(limitReached(level, `Too many ${what} of this ${level} wait for the session store`));
}
