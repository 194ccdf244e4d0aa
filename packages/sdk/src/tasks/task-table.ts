/**
 * A bounded table of task records, as JSON text, so that callers share no objects. Stores that hold their tasks in memory are
 * built on it. Living tasks are never dropped: a task that has no room is refused.
 */
import { limitHeld } from "../errors/limit-reached.js";
import { checkLimit } from "../errors/option-checks.js";
import type { OptionTable } from "../errors/option-table.js";
import { invalidParams } from "../errors/protocol-error.js";
import { DeadlineQueue } from "../runtime/deadline-queue.js";
import { Quota } from "../runtime/quota.js";
import {
  expiresAt,
  isTerminal,
  type TaskInput,
  type TaskRecord,
  type TaskSummary,
  taskBytes,
  taskSummary,
} from "./task-record.js";
import type { TaskPage } from "./task-store.js";

/** Limits of a store that keeps its tasks in memory. Bytes are those of the parsed tasks, and at least 4,096 per task. */
export interface TaskStoreLimits {
  /** Tasks in the store. @defaultValue 16_384 */
  readonly maxTasks?: number | undefined;
  /** Tasks of one principal. @defaultValue 1_024 */
  readonly maxTasksPerPrincipal?: number | undefined;
  /** Bytes of all tasks. @defaultValue 67_108_864 */
  readonly maxBytes?: number | undefined;
  /** Bytes of the tasks of one principal. @defaultValue 16_777_216 */
  readonly maxBytesPerPrincipal?: number | undefined;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

export const TASK_STORE_LIMITS: OptionTable<TaskStoreLimits> = {
  maxTasks: true,
  maxTasksPerPrincipal: true,
  maxBytes: true,
  maxBytesPerPrincipal: true,
  now: "function",
};

interface Row {
  /** The record. The members of its summary come first. */
  readonly text: string;
  /** The input, as JSON text. Undefined for a finished task. */
  readonly input: string | undefined;
  /** Characters of `text` with the members of the summary. A list parses no others. */
  readonly summaryLength: number;
  readonly isError: boolean;
  readonly version: number;
  readonly isTerminal: boolean;
  readonly principal: string | undefined;
  readonly bytes: number;
}

export class TaskTable {
  readonly #limits: Readonly<Record<Exclude<keyof TaskStoreLimits, "now">, number>>;
  readonly #now: () => number;
  /** In the order of creation. */
  readonly #rows = new Map<string, Row>();
  /** The tasks of each principal, in the order of creation. */
  readonly #byPrincipal = new Map<string | undefined, Set<string>>();
  readonly #tasks: Quota;
  readonly #bytes: Quota;
  readonly #deadlines: DeadlineQueue<string>;

  /** @throws {SdkError} `invalid-argument` for a limit below 1. */
  constructor(options: TaskStoreLimits = {}) {
    const {
      maxTasks = 16_384,
      maxTasksPerPrincipal = 1_024,
      maxBytes = 67_108_864,
      maxBytesPerPrincipal = 16_777_216,
      now = Date.now,
    } = options;
    const limits = { maxTasks, maxTasksPerPrincipal, maxBytes, maxBytesPerPrincipal };
    for (const [name, value] of Object.entries(limits)) checkLimit(name, value);
    this.#limits = limits;
    this.#now = () => now();
    this.#tasks = new Quota(maxTasks, maxTasksPerPrincipal);
    this.#bytes = new Quota(maxBytes, maxBytesPerPrincipal);
    this.#deadlines = new DeadlineQueue(this.#now, (taskId) => this.delete(taskId));
  }

  get size(): number {
    return this.#rows.size;
  }

  /** @throws {ProtocolError} 429 if a limit has no room for the task. */
  create(record: TaskRecord, input: TaskInput): void {
    this.#deadlines.expire();
    const { principal } = record;
    const row = rowOf(record, JSON.stringify(input));
    const fullOfTasks = this.#tasks.fullLevel(principal, 1);
    if (fullOfTasks !== undefined) throw limitHeld(fullOfTasks, this.#tooManyTasks(fullOfTasks));
    this.#requireRoom(principal, row.bytes);
    this.#add(record, row);
  }

  get(taskId: string): TaskRecord | undefined {
    const row = this.#rows.get(taskId);
    return row && this.#parse(row);
  }

  /** Undefined for a finished task. */
  input(taskId: string): TaskInput | undefined {
    const row = this.#rows.get(taskId);
    return row?.input === undefined || !this.#parseSummary(row) ? undefined : JSON.parse(row.input);
  }

  /** False if the stored version is not one lower. @throws {ProtocolError} 429 if a limit has no room for the larger record. */
  replace(record: TaskRecord): boolean {
    const row = this.#rows.get(record.taskId);
    if (row?.version !== record.version - 1 || !this.#isAlive(record)) return false;
    const next = rowOf(record, row.input);
    const growth = next.bytes - row.bytes;
    if (growth > 0) this.#requireRoom(row.principal, growth);
    this.#rows.set(record.taskId, next);
    this.#bytes.take(row.principal, growth);
    return true;
  }

  /** False if there is no such task. */
  delete(taskId: string): boolean {
    const row = this.#rows.get(taskId);
    if (row === undefined) return false;
    this.#rows.delete(taskId);
    this.#deadlines.remove(taskId);
    this.#tasks.take(row.principal, -1);
    this.#bytes.take(row.principal, -row.bytes);
    const ids = this.#idsOf(row.principal);
    ids.delete(taskId);
    if (ids.size === 0) this.#byPrincipal.delete(row.principal);
    return true;
  }

  /** A cursor is the id of the last task on the page before. @throws {ProtocolError} -32602 for any other cursor. */
  list(principal: string | undefined, cursor: string | undefined, limit: number): TaskPage {
    const ids = this.#idsOf(principal);
    if (cursor !== undefined && !ids.has(cursor)) throw unknownCursor();
    const tasks: TaskSummary[] = [];
    let isAfterCursor = cursor === undefined;
    for (const taskId of ids) {
      const row = isAfterCursor ? this.#rows.get(taskId) : undefined;
      const task = row && this.#parseSummary(row);
      isAfterCursor ||= taskId === cursor;
      if (!task) continue;
      if (tasks.length === limit) return { tasks, nextCursor: tasks.at(-1)?.taskId };
      tasks.push(task);
    }
    return { tasks };
  }

  unfinishedIds(): string[] {
    return [...this.#rows].filter(([, row]) => !row.isTerminal).map(([taskId]) => taskId);
  }

  /** The JSON text of every task and its input, in the order of creation. */
  texts(): { readonly text: string; readonly input: string | undefined }[] {
    this.#deadlines.expire(Number.POSITIVE_INFINITY);
    return Array.from(this.#rows.values(), ({ text, input }) => ({ text, input }));
  }

  /** Adds or replaces a task that another table held, without checking the limits. Ignores an expired task. */
  restore(record: TaskRecord, input: TaskInput | undefined): void {
    if (!this.#isAlive(record)) return;
    const before = this.#rows.get(record.taskId);
    const row = rowOf(record, input === undefined ? before?.input : JSON.stringify(input));
    if (before === undefined) {
      this.#add(record, row);
      return;
    }
    this.#rows.set(record.taskId, row);
    this.#bytes.take(row.principal, row.bytes - before.bytes);
  }

  /** Stops the timer. The table stays readable. */
  close(): void {
    this.#deadlines.clear();
  }

  #add(record: TaskRecord, row: Row): void {
    const { taskId, principal } = record;
    const ids = this.#idsOf(principal);
    ids.add(taskId);
    this.#byPrincipal.set(principal, ids);
    this.#rows.set(taskId, row);
    this.#deadlines.add(taskId, expiresAt(record));
    this.#tasks.take(principal, 1);
    this.#bytes.take(principal, row.bytes);
  }

  #idsOf(principal: string | undefined): Set<string> {
    return this.#byPrincipal.get(principal) ?? new Set();
  }

  /** Undefined for a task that has expired. */
  #parse({ text }: Row): TaskRecord | undefined {
    const record: TaskRecord = JSON.parse(text);
    return this.#isAlive(record) ? record : undefined;
  }

  /** Undefined for a task that has expired. */
  #parseSummary({ text, summaryLength, isError }: Row): TaskSummary | undefined {
    const summary: TaskSummary = { ...JSON.parse(`${text.slice(0, summaryLength)}}`), isError };
    return this.#isAlive(summary) ? summary : undefined;
  }

  #isAlive(record: Pick<TaskRecord, "createdAt" | "ttlMs">): boolean {
    return expiresAt(record) > this.#now();
  }

  #requireRoom(principal: string | undefined, bytes: number): void {
    const full = this.#bytes.fullLevel(principal, bytes);
    if (full === undefined) return;
    const max = full === "principal" ? this.#limits.maxBytesPerPrincipal : this.#limits.maxBytes;
    throw limitHeld(full, `Too much to keep: tasks take at most ${max} bytes; wait until tasks expire`);
  }

  #tooManyTasks(level: "principal" | "server"): string {
    const max = level === "principal" ? this.#limits.maxTasksPerPrincipal : this.#limits.maxTasks;
    return `Too many tasks: at most ${max} are kept; wait until tasks expire`;
  }
}

function rowOf(record: TaskRecord, input: string | undefined): Row {
  const { isError, ...listed } = taskSummary(record);
  // Members of an object are written in the order in which they were added first.
  const text = JSON.stringify({ ...listed, ...record });
  const { version, principal } = record;
  return {
    text,
    summaryLength: JSON.stringify(listed).length - 1,
    isError,
    version,
    principal,
    isTerminal: isTerminal(record),
    input: isTerminal(record) ? undefined : input,
    bytes: taskBytes(record),
  };
}

function unknownCursor(): Error {
  return invalidParams("cursor: unknown, or its task has expired; list from the start");
}
