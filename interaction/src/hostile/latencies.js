/**
 * Open-loop load: calls start on a fixed schedule, whether or not earlier calls have been answered, and are timed. A latency
 * is the lesser of two durations: the time that passed, and the processor time that the process under attack used
 * meanwhile. The second one leaves out the time that other processes of the machine took.
 */

const DRAIN_MS = 15_000;
/** More than this many unanswered calls are a failure by themselves; the schedule pauses there. */
const MAX_UNANSWERED = 5_000;

/**
 * @typedef {object} Latencies
 * @property {number} count calls that were answered
 * @property {number | undefined} p50 in ms
 * @property {number | undefined} p99 in ms
 * @property {number | undefined} maxMs
 * @property {number} wallP99 in ms, the delays of a busy machine included
 * @property {Record<string, number>} failures how often each call failed, by call and error
 * @property {number} unanswered calls without an answer 15 s after the last of them began
 */

export class LatencyRecorder {
  /** @type {number[]} */
  #latencies = [];
  /** @type {number[]} */
  #walls = [];
  /** @type {Record<string, number>} */
  #failures = {};
  #unanswered = 0;
  /** @type {((value: undefined) => void) | undefined} */
  #onAnswered;
  #processorMs;

  /** @param {() => number} processorMs the processor time of the process under attack, as far as it is known */
  constructor(processorMs) {
    this.#processorMs = processorMs;
  }

  /**
   * Times one call.
   * @param {string} name @param {() => Promise<unknown>} call
   */
  async time(name, call) {
    const [begun, processorBegun] = [performance.now(), this.#processorMs()];
    this.#unanswered += 1;
    const isAnswered = await this.#attempt(name, call);
    if (isAnswered) {
      const wall = performance.now() - begun;
      this.#walls.push(wall);
      this.#latencies.push(Math.min(wall, this.#processorMs() - processorBegun));
    }
    this.#settled();
  }

  /**
   * Runs work whose duration is not compared, since it takes several round trips.
   * @param {string} name @param {() => Promise<unknown>} flow
   */
  async watch(name, flow) {
    this.#unanswered += 1;
    await this.#attempt(name, flow);
    this.#settled();
  }

  /**
   * Calls `tick` every `everyMs` for `forMs`, then waits for answers.
   * @param {number} everyMs @param {number} forMs @param {(tick: number) => void} tick
   * @returns {Promise<Latencies>}
   */
  async run(everyMs, forMs, tick) {
    const begun = performance.now();
    let ticks = 0;
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        const elapsed = performance.now() - begun;
        // Timers that fire late catch up, so that the load does not depend on this process.
        for (; ticks * everyMs <= Math.min(elapsed, forMs) && this.#unanswered < MAX_UNANSWERED; ticks += 1)
          tick(ticks);
        if (elapsed < forMs) return;
        clearInterval(timer);
        resolve(undefined);
      }, everyMs);
    });
    await this.#drained();
    const latencies = this.#latencies;
    const [p50, p99, maxMs] = [0.5, 0.99, 1].map((share) => quantile(latencies, share));
    const figures = { count: latencies.length, p50, p99, maxMs, wallP99: quantile(this.#walls, 0.99) };
    return { ...figures, failures: this.#failures, unanswered: this.#unanswered };
  }

  /** @param {string} name @param {() => Promise<unknown>} act */
  async #attempt(name, act) {
    try {
      await act();
      return true;
    } catch (error) {
      const failure = `${name}: ${describe(error)}`;
      this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
      return false;
    }
  }

  async #drained() {
    if (this.#unanswered === 0) return;
    await new Promise((resolve) => {
      this.#onAnswered = resolve;
      setTimeout(resolve, DRAIN_MS).unref();
    });
  }

  #settled() {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#onAnswered?.(undefined);
  }
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2));
}

/** @param {unknown} error @returns {string} */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? ` (${error.code})` : "";
  return `${error.message.slice(0, 120)}${code}${error.cause instanceof Error ? `: ${describe(error.cause)}` : ""}`;
}
