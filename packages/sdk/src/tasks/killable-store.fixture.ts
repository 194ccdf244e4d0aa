/** A store as seen by a process that may be killed: from then on it hears nothing and changes nothing. */
import type { TaskInput, TaskRecord } from "./task-record.js";
import type { TaskPage, TaskStore } from "./task-store.js";

const NEVER: Promise<never> = new Promise(() => undefined);

export class KillableStore implements TaskStore {
  readonly #store: TaskStore;
  #isKilled = false;
  /** Calls that the store has not answered. */
  pending = 0;

  constructor(store: TaskStore) {
    this.#store = store;
  }

  kill(): void {
    this.#isKilled = true;
  }

  create(record: TaskRecord, input: TaskInput): Promise<void> {
    return this.#through(() => this.#store.create(record, input));
  }

  input(taskId: string): Promise<TaskInput | undefined> {
    return this.#through(() => this.#store.input(taskId));
  }

  get(taskId: string): Promise<TaskRecord | undefined> {
    return this.#through(() => this.#store.get(taskId));
  }

  replace(record: TaskRecord): Promise<boolean> {
    return this.#through(() => this.#store.replace(record));
  }

  delete(taskId: string): Promise<void> {
    return this.#through(() => this.#store.delete(taskId));
  }

  list(principal: string | undefined, cursor: string | undefined, limit: number): Promise<TaskPage> {
    return this.#through(() => this.#store.list(principal, cursor, limit));
  }

  abandoned(): AsyncIterable<TaskRecord> {
    return this.#store.abandoned();
  }

  watch(listener: (record: TaskRecord) => void): () => void {
    return this.#store.watch((record) => {
      if (!this.#isKilled) listener(record);
    });
  }

  async #through<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#isKilled) return NEVER;
    this.pending += 1;
    const [outcome] = await Promise.allSettled([call()]);
    this.pending -= 1;
    if (this.#isKilled) return NEVER;
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }
}
