/** Changes stored tasks: reads, changes and replaces a record, and again if another process was faster. Holds the size limit. */
import { isTemporary, limitReached } from "../errors/limit-reached.js";
import { SdkError } from "../errors/sdk-error.js";
import { type Backoff, backoffMs } from "../runtime/backoff.js";
import { jsonBytes } from "../runtime/json-size.js";
import { waitMs } from "../runtime/timers.js";
import type { TaskRecord } from "./task-record.js";
import type { TaskStore } from "./task-store.js";

/** Attempts of one change. Changes of this process wait for each other, so only other processes cause conflicts. */
const MAX_ATTEMPTS = 32;

/** Delays while the store is not available: about a minute in all. */
const DELAYS: Backoff = { initialDelayMs: 100, maxDelayMs: 5_000 };
const MAX_RETRIES = 16;

const DEFAULT_ALIVE_MS = 30_000;

/** A stored record after a change, or as it was if there was nothing to change. */
export interface ChangedTask {
  readonly record: TaskRecord;
  readonly isChanged: boolean;
}

export class TaskChanges {
  readonly #store: TaskStore;
  readonly #maxTaskBytes: number;
  readonly #now: () => number;
  /** The last change of each task that is being changed. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(store: TaskStore, maxTaskBytes: number, now: () => number) {
    this.#store = store;
    this.#maxTaskBytes = maxTaskBytes;
    this.#now = now;
  }

  /** As `TaskStore.aliveMs`. */
  get aliveMs(): number {
    return this.#store.aliveMs ?? DEFAULT_ALIVE_MS;
  }

  /**
   * Applies a change. Undefined if there is no such task.
   * @throws {SdkError} `too-large` for a record over the limit, {@link ProtocolError} 429 if others keep changing the task
   */
  apply(
    taskId: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<ChangedTask | undefined> {
    const before = this.#last.get(taskId);
    const attempts = () => this.#attempt(taskId, change);
    const own = before === undefined ? attempts() : before.then(attempts);
    const settled = own.then(ignore, ignore).then(() => {
      if (this.#last.get(taskId) === settled) this.#last.delete(taskId);
    });
    this.#last.set(taskId, settled);
    return own;
  }

  /**
   * Applies a change that nobody repeats, such as the result of a run, as `whenAvailable` does. @throws as `apply`
   */
  persist(
    taskId: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
    signal: AbortSignal,
  ): Promise<ChangedTask | undefined> {
    return whenAvailable(() => this.apply(taskId, change), signal);
  }

  /** Resolves once no change is under way. */
  async settled(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }

  /** @throws {SdkError} `too-large` for a record over the limit. */
  requireSize(record: TaskRecord): void {
    if (jsonBytes(record, this.#maxTaskBytes) + record.inputBytes <= this.#maxTaskBytes) return;
    throw new SdkError(
      "too-large",
      `A task takes at most ${this.#maxTaskBytes} bytes: params, answers, results of once and the result together`,
    );
  }

  async #attempt(
    taskId: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<ChangedTask | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record = await this.#store.get(taskId);
      if (record === undefined) return undefined;
      const next = change(record, this.#now());
      if (next === undefined) return { record, isChanged: false };
      this.requireSize(next);
      if (await this.#store.replace(next)) return { record: next, isChanged: true };
    }
    throw limitReached("server", "Other processes keep changing this task");
  }
}

/**
 * Calls a store, and again while it is not available, for about a minute or until the signal aborts. @throws the last error
 */
export async function whenAvailable<Value>(call: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === MAX_RETRIES || !isTemporary(error)) throw error;
      if (!(await waitMs(backoffMs(attempt, DELAYS), signal))) throw error;
    }
  }
}

function ignore(): void {
  // The caller of the change gets its failure.
}
