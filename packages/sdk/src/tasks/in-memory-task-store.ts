/** A store of tasks in the memory of one process. */
import { checkOptions } from "../errors/option-table.js";
import type { TaskInput, TaskRecord } from "./task-record.js";
import type { TaskPage, TaskStore } from "./task-store.js";
import { TASK_STORE_LIMITS, type TaskStoreLimits, TaskTable } from "./task-table.js";

/**
 * Keeps tasks in this process. A restart forgets them.
 *
 * @throws {SdkError} `invalid-argument` for an unknown option, and for a limit that is no number from 1
 * @example
 * const store = new InMemoryTaskStore({ maxTasksPerPrincipal: 100 });
 */
export class InMemoryTaskStore implements TaskStore {
  readonly #table: TaskTable;
  readonly #listeners = new Set<(record: TaskRecord) => void>();

  constructor(limits: TaskStoreLimits = {}) {
    checkOptions("InMemoryTaskStore", limits, TASK_STORE_LIMITS);
    this.#table = new TaskTable(limits);
  }

  /** Number of tasks. */
  get size(): number {
    return this.#table.size;
  }

  async create(record: TaskRecord, input: TaskInput): Promise<void> {
    this.#table.create(record, input);
    this.#notify(record);
  }

  async input(taskId: string): Promise<TaskInput | undefined> {
    return this.#table.input(taskId);
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    return this.#table.get(taskId);
  }

  async replace(record: TaskRecord): Promise<boolean> {
    const isReplaced = this.#table.replace(record);
    if (isReplaced) this.#notify(record);
    return isReplaced;
  }

  async delete(taskId: string): Promise<void> {
    this.#table.delete(taskId);
  }

  async list(principal: string | undefined, cursor: string | undefined, limit: number): Promise<TaskPage> {
    return this.#table.list(principal, cursor, limit);
  }

  async *abandoned(): AsyncIterable<TaskRecord> {
    for (const taskId of this.#table.unfinishedIds()) {
      const record = this.#table.get(taskId);
      if (record !== undefined) yield record;
    }
  }

  watch(listener: (record: TaskRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #notify(record: TaskRecord): void {
    for (const listener of this.#listeners) listener(record);
  }
}
