/**
 * Counts attempts to log in by network, in three widths. Successful attempts are taken back. Half of a count is forgotten every
 * hour.
 */
import { networksOf } from "../../hosting/http/client-address.js";
import { BoundedMap } from "../../runtime/bounded-map.js";

interface AttemptCount {
  readonly count: number;
  readonly atMs: number;
}

const NONE: AttemptCount = { count: 0, atMs: 0 };
const HALF_LIFE_MS = 3_600_000;
/** Rounds half an attempt down, so that a single one is forgotten after an hour. */
const ROUNDING = 0.49;
const MAX_NETWORKS = 10_000;
const MAX_NETWORK_CHARS = 64;

export class RecentAttempts {
  readonly #now: () => number;
  /**
   * The counts of each width. The network that tried longest ago is forgotten first. Widths have tables of their own, so that
   * the many addresses of one network do not displace other networks.
   */
  readonly #widths = [countsByNetwork(), countsByNetwork(), countsByNetwork()];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts an attempt. Returns the counts before it, as whole numbers, the widest network first. */
  add(address: string): readonly number[] {
    return this.#change(address, 1);
  }

  /** Takes an attempt back. */
  forgive(address: string): void {
    this.#change(address, -1);
  }

  #change(address: string, by: number): number[] {
    const atMs = this.#now();
    const networks = networksOf(address).map((network) => network.slice(0, MAX_NETWORK_CHARS));
    return this.#widths.map((counts, width) => {
      const network = String(networks[width]);
      const before = currentOf(counts.get(network) ?? NONE, atMs);
      counts.set(network, { count: Math.max(0, before + by), atMs }, 1);
      return Math.floor(before + ROUNDING);
    });
  }
}

function countsByNetwork(): BoundedMap<string, AttemptCount> {
  return new BoundedMap({ maxEntries: MAX_NETWORKS, maxWeight: MAX_NETWORKS });
}

function currentOf({ count, atMs }: AttemptCount, nowMs: number): number {
  // A clock that was set back forgets nothing.
  return count * 2 ** (-Math.max(0, nowMs - atMs) / HALF_LIFE_MS);
}
