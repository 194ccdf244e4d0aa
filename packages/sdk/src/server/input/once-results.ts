/** Side effects of one request that must not be repeated, and what they came to. */
import { SdkError } from "../../errors/sdk-error.js";
import { TransientMap } from "../../runtime/transient-map.js";

/** By key. Each result is wrapped, so that an effect without one is still known to have run once this became JSON. */
export interface FinishedEffects {
  readonly [key: string]: { readonly value?: unknown };
}

export class OnceResults {
  readonly #running = new TransientMap<string, Promise<unknown>>();
  readonly #finished: TransientMap<string, unknown>;
  #isClosed = false;

  /** `finished` is what an earlier run's `settled` gave. */
  constructor(finished: FinishedEffects = {}) {
    this.#finished = new TransientMap(Object.entries(finished).map(([key, { value }]) => [key, value]));
  }

  /** A failure is not kept: what failed may be tried again. */
  run<Value>(key: string, effect: () => Value | Promise<Value>): Promise<Value> {
    // What was finished under a key, in this run or an earlier one, is what the same effect returned.
    if (this.#finished.has(key)) return Promise.resolve(this.#finished.get(key) as Value);
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<Value>;
    if (this.#isClosed) return Promise.reject(tooLate(key));
    const started = this.#start(key, effect).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  /** Every result, once whatever is running has ended. Nothing starts after that: its result would be lost. */
  async settled(): Promise<FinishedEffects> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
    this.#isClosed = true;
    return Object.fromEntries(this.#finished.entries().map(([key, value]) => [key, { value }]));
  }

  async #start<Value>(key: string, effect: () => Value | Promise<Value>): Promise<Value> {
    const value = await effect();
    this.#finished.set(key, value);
    return value;
  }
}

function tooLate(key: string): SdkError {
  return new SdkError(
    "context-ended",
    `once("${key}") came after its run of the handler had ended; the next run does it`,
  );
}
