/** `context.once`: the side effects of one request that must not be repeated, and their results. */
import { SdkError } from "../errors/sdk-error.js";

/** Results by key. Wrapped in objects, so that JSON keeps the key of an effect that returned undefined. */
export interface FinishedEffects {
  readonly [key: string]: { readonly value?: unknown };
}

export class OnceResults {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #finished: Map<string, unknown>;
  #isClosed = false;

  /** `finished` is the value of `settled` in the previous run. */
  constructor(finished: FinishedEffects = {}) {
    this.#finished = new Map(Object.entries(finished).map(([key, { value }]) => [key, value]));
  }

  /** Runs an effect unless it has run under this key. A failed effect is not remembered and may run again. */
  run<Value>(key: string, effect: () => Value | Promise<Value>): Promise<Value> {
    // The same effect produced the result, in this run or an earlier one, so it has the type.
    if (this.#finished.has(key)) return Promise.resolve(this.#finished.get(key) as Value);
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<Value>;
    if (this.#isClosed) return Promise.reject(tooLate(key));
    const started = this.#start(key, effect).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  /** Waits for running effects and returns all results. Later effects are refused, since their results would be lost. */
  async settled(): Promise<FinishedEffects> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
    this.#isClosed = true;
    return Object.fromEntries(Array.from(this.#finished, ([key, value]) => [key, { value }]));
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
