/** Stores of tasks: the interface. A store keeps records and expires them; it knows nothing of the work. */
import type { TaskInput, TaskRecord, TaskSummary } from "./task-record.js";

/** One page of a principal's tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[];
  /** Where the next page starts; absent on the last page. */
  readonly nextCursor?: string | undefined;
}

/**
 * An asynchronous store, possibly over a network and shared by several processes. Promises resolve once a change survives what
 * the store survives. Expired tasks are gone for every method; the store frees them by itself.
 */
export interface TaskStore {
  /**
   * Milliseconds without a sign of life after which the store gives the tasks of a process to another one. Processes show at least three
   * signs in this time.
   * @defaultValue 30_000
   */
  readonly aliveMs?: number | undefined;
  /** Adds a task. `taskBytes` counts its bytes. @throws {ProtocolError} 429 if a limit has no room for it */
  create(record: TaskRecord, input: TaskInput): Promise<void>;
  /** The input of an unfinished task. A store keeps it apart, so that no other method reads it. */
  input(taskId: string): Promise<TaskInput | undefined>;
  get(taskId: string): Promise<TaskRecord | undefined>;
  /**
   * Replaces the record whose version is one lower. A finished task loses its input. False if the stored version is another one, or the task is gone.
   * @throws {ProtocolError} 429 if a limit has no room for the larger record
   */
  replace(record: TaskRecord): Promise<boolean>;
  /** Deletes a task, if it exists. */
  delete(taskId: string): Promise<void>;
  /**
   * The tasks of one principal in the order of their creation, at most `limit` per page. `taskSummary` makes a summary of a
   * record. A store that keeps summaries apart need not read results for a list.
   * @throws {ProtocolError} -32602 for a cursor that does not belong to a task of this principal
   */
  list(principal: string | undefined, cursor: string | undefined, limit: number): Promise<TaskPage>;
  /** The unfinished tasks that no living process works on. A store of one process returns all unfinished tasks. */
  abandoned(): AsyncIterable<TaskRecord>;
  /**
   * The unfinished tasks of other processes that have ended. Each task is given to one process. Servers call it at an interval.
   * Absent in a store of one process.
   */
  abandonedByOthers?(): AsyncIterable<TaskRecord>;
  /** Calls the listener with each record once it is stored, by whichever process. Returns a function that stops it. */
  watch(listener: (record: TaskRecord) => void): () => void;
}
