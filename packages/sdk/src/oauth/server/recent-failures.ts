/** Counts failed logins by network. Half of a count is forgotten every ten minutes. */
import { BoundedMap } from "../../runtime/bounded-map.js";

interface FailureCount {
  readonly count: number;
  readonly atMs: number;
}

const HALF_LIFE_MS = 600_000;
/** Rounds half a failure down. */
const ROUNDING = 0.49;
const MAX_NETWORKS = 10_000;
const MAX_NETWORK_CHARS = 64;

export class RecentFailures {
  readonly #now: () => number;
  /** The network that failed longest ago is forgotten first. */
  readonly #counts = new BoundedMap<string, FailureCount>({ maxEntries: MAX_NETWORKS, maxWeight: MAX_NETWORKS });

  constructor(now: () => number) {
    this.#now = now;
  }

  add(network: string): void {
    const key = network.slice(0, MAX_NETWORK_CHARS);
    this.#counts.set(key, { count: this.#current(key) + 1, atMs: this.#now() }, 1);
  }

  /** A whole number. A single failure is forgotten after ten minutes. */
  count(network: string): number {
    return Math.floor(this.#current(network.slice(0, MAX_NETWORK_CHARS)) + ROUNDING);
  }

  #current(key: string): number {
    const { count, atMs } = this.#counts.get(key) ?? { count: 0, atMs: 0 };
    // A clock that was set back forgets nothing.
    return count * 2 ** (-Math.max(0, this.#now() - atMs) / HALF_LIFE_MS);
  }
}
