/** Takes up the tasks of processes that have ended, and remembers those that a store that was not available held back. */
import { isTemporary } from "../errors/limit-reached.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { type TaskChanges, whenAvailable } from "./task-changes.js";
import { failure } from "./task-errors.js";
import { isTerminal, type TaskInput, type TaskRecord, withTakenUp } from "./task-record.js";
import type { TaskStore } from "./task-store.js";
import type { TaskWork } from "./task-work.js";

/** Finds the work of a stored task; undefined for work that the engine does not know. */
export type WorkOf = (record: TaskRecord, input: TaskInput) => TaskWork | undefined;

/** A task of this process now. Without work, it cannot run again. */
export interface TakenUpTask {
  readonly record: TaskRecord;
  readonly work?: TaskWork | undefined;
}

export class AbandonedTasks {
  readonly #store: TaskStore;
  readonly #changes: TaskChanges;
  readonly #closing: AbortSignal;
  readonly #onError: ErrorCallback;
  /** Tasks that could not be taken up. The store may give each of them to this process once only. */
  readonly #postponed = new Set<string>();

  constructor(store: TaskStore, changes: TaskChanges, closing: AbortSignal, onError: ErrorCallback) {
    this.#store = store;
    this.#changes = changes;
    this.#closing = closing;
    this.#onError = onError;
  }

  /** The unfinished tasks that could not be taken up before, and the given ones. */
  async *with(abandoned: AsyncIterable<TaskRecord>): AsyncIterable<TaskRecord> {
    for (const taskId of [...this.#postponed]) {
      const record = await this.#store.get(taskId);
      this.#postponed.delete(taskId);
      if (record !== undefined && !isTerminal(record)) yield record;
    }
    yield* abandoned;
  }

  /**
   * Takes a task up, if it may run again. Its process may have been suspended only: the run of that process must change nothing any
   * more. Undefined if the store is not available: `with` has the task the next time.
   */
  async takeUp(record: TaskRecord, rerun: WorkOf): Promise<TakenUpTask | undefined> {
    const { taskId, mayRerun } = record;
    try {
      const work = mayRerun ? await workOfStored(this.#store, record, rerun, this.#closing) : undefined;
      const taken = work && (await this.#changes.persist(taskId, withTakenUp, this.#closing));
      return { record: taken?.record ?? record, work };
    } catch (error) {
      if (!isTemporary(error)) {
        this.#onError(failure(`Task ${taskId} could not run again`, error));
        return { record };
      }
      this.#onError(failure(`Task ${taskId} could not run again yet`, error));
      this.#postponed.add(taskId);
      return undefined;
    }
  }
}

/** The work of a stored task. The input is read when the work begins, so that a task that waits holds no parsed input. */
export async function workOfStored(
  store: TaskStore,
  record: TaskRecord,
  workOf: WorkOf,
  signal: AbortSignal,
): Promise<TaskWork | undefined> {
  const input = await whenAvailable(() => store.input(record.taskId), signal);
  return input && workOf(record, input);
}
