/** The load on one server: connections that call as fast as they are answered, for one round after the other. */
import { awake } from "../awake.js";
import type { Exchange } from "./exchange.js";
import { Lane } from "./lane.js";
import { type LoadTarget, prepareExchanges } from "./requests.js";

export interface LoadRound {
  readonly calls: number;
  readonly seconds: number;
  /** 99 of 100 calls took no longer. */
  readonly p99Ms: number;
}

export class Load {
  readonly #url: string;
  readonly #exchanges: readonly (readonly Exchange[])[];

  private constructor(url: string, exchanges: readonly (readonly Exchange[])[]) {
    this.#url = url;
    this.#exchanges = exchanges;
  }

  static async prepare(target: LoadTarget): Promise<Load> {
    return new Load(target.url, await prepareExchanges(target));
  }

  /**
   * Connections are opened anew, since servers close idle ones between rounds, and each has been answered before the
   * clock starts.
   * @throws {Error} if any answer is not right.
   */
  async round(ms: number): Promise<LoadRound> {
    const lanes = await Promise.all(this.#exchanges.map((exchanges) => Lane.open(this.#url, exchanges)));
    try {
      await Promise.all(lanes.map((lane) => lane.run(0, [])));
      const latencies: number[] = [];
      const startedAt = performance.now();
      await awake(() => Promise.all(lanes.map((lane) => lane.run(startedAt + ms, latencies))));
      const seconds = (performance.now() - startedAt) / 1_000;
      return { calls: latencies.length, seconds, p99Ms: percentile(latencies, 0.99) };
    } finally {
      for (const lane of lanes) lane[Symbol.dispose]();
    }
  }
}

/** The smallest value that so large a part of them does not exceed. @throws {RangeError} for no values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
  if (value === undefined) throw new RangeError("no values, no percentile");
  return value;
}
