/**
 * A store of tasks in one file: the store reads it at start, then appends changes. A record is visible once it is on the disk,
 * so a killed process takes nothing back that a caller has seen.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { removeIncomplete } from "../../files/atomic-file.js";
import { acquireFileLock, type HeldLock, holderOf } from "../../files/file-lock.js";
import { JournalFile } from "../../files/journal-file.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { mayBeTaskId, type TaskInput, type TaskRecord } from "../task-record.js";
import type { TaskPage, TaskStore } from "../task-store.js";
import { TASK_STORE_LIMITS, type TaskStoreLimits, TaskTable } from "../task-table.js";

/** Options of a store of tasks in a file. */
export interface FileTaskStoreOptions extends TaskStoreLimits {
  /** Milliseconds that `open` waits for another process that has the file open. @defaultValue 15_000 */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * Milliseconds without a sign of life after which the lock of another process counts as abandoned. A process of this host that
   * has ended is noticed at once, and after three tenths of this time if this process has the same id, as in a restarted container.
   * @defaultValue 10_000
   */
  readonly staleLockMs?: number | undefined;
}

const OPTIONS: OptionTable<FileTaskStoreOptions> = { ...TASK_STORE_LIMITS, lockTimeoutMs: true, staleLockMs: true };
const FORMAT = '{"format":"parley-task-store/2"}';
const HEARTBEATS_PER_STALE_LOCK = 10;

/** Changes that go to the disk together. */
interface Batch {
  readonly lines: string[];
  readonly stored: TaskRecord[];
  readonly taskIds: Set<string>;
  /** Settles when the changes are on the disk. */
  readonly written: Promise<void>;
}

/**
 * Keeps tasks in a file, for one process at a time. Only its owner can read the file. A restart, and a kill at any moment, keeps
 * every change that was confirmed.
 *
 * @example
 * const store = await FileTaskStore.open("./tasks.jsonl");
 * await store.close();
 */
export class FileTaskStore implements TaskStore {
  readonly aliveMs: number;
  readonly #path: string;
  readonly #journal: JournalFile;
  readonly #table: TaskTable;
  readonly #lock: HeldLock;
  readonly #listeners = new Set<(record: TaskRecord) => void>();
  /** The batch that collects changes. */
  #next: Batch | undefined;
  /** The batch that is being written, or that could not be written. */
  #current: Batch | undefined;
  #closing: Promise<void> | undefined;

  private constructor(path: string, journal: JournalFile, table: TaskTable, lock: HeldLock, aliveMs: number) {
    this.#path = path;
    this.#journal = journal;
    this.#table = table;
    this.#lock = lock;
    this.aliveMs = aliveMs;
  }

  /**
   * Opens a store, or begins an empty one. Creates a missing folder, with access for its owner only.
   * @throws {SdkError} `invalid-argument` for a file that is no such store or that is open already, and for limits that
   *   are no numbers from 1
   */
  static async open(path: string, options: FileTaskStoreOptions = {}): Promise<FileTaskStore> {
    checkOptions("FileTaskStore", options, OPTIONS);
    const { lockTimeoutMs = 15_000, staleLockMs = 10_000, ...limits } = options;
    checkTimer("lockTimeoutMs", lockTimeoutMs);
    checkTimer("staleLockMs", staleLockMs);
    const table = new TaskTable(limits);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const heartbeatMs = staleLockMs / HEARTBEATS_PER_STALE_LOCK;
    const lock = await acquireFileLock(`${path}.lock`, {
      timeoutMs: lockTimeoutMs,
      staleMs: staleLockMs,
      heartbeatMs,
    }).catch(async (cause: unknown) => {
      throw cause instanceof SdkError ? inUse(path, await holderOf(`${path}.lock`), cause) : cause;
    });
    try {
      await removeIncomplete(path);
      const journal = new JournalFile(path, FORMAT);
      const lines = await journal.read();
      if (lines === undefined || !lines.every((line) => restoreLine(table, line))) throw notAStore(path);
      return new FileTaskStore(path, journal, table, lock, staleLockMs);
    } catch (error) {
      table.close();
      await lock.release();
      throw error;
    }
  }

  /** Number of tasks. */
  get size(): number {
    return this.#table.size;
  }

  async create(record: TaskRecord, input: TaskInput): Promise<void> {
    this.#requireOpen();
    this.#table.create(record, input);
    await this.#store(record, input).catch((error: unknown) => {
      // Its caller has no task, so that no later write may store it.
      this.#table.delete(record.taskId);
      throw error;
    });
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    const record = this.#table.get(taskId);
    await this.#written(taskId);
    return record;
  }

  async input(taskId: string): Promise<TaskInput | undefined> {
    const input = this.#table.input(taskId);
    await this.#written(taskId);
    return input;
  }

  async replace(record: TaskRecord): Promise<boolean> {
    this.#requireOpen();
    const isReplaced = this.#table.replace(record);
    if (isReplaced) await this.#store(record);
    return isReplaced;
  }

  async delete(taskId: string): Promise<void> {
    this.#requireOpen();
    if (this.#table.delete(taskId)) await this.#append(taskId, JSON.stringify({ deleted: taskId }));
  }

  async list(principal: string | undefined, cursor: string | undefined, limit: number): Promise<TaskPage> {
    const page = this.#table.list(principal, cursor, limit);
    for (const { taskId } of page.tasks) await this.#written(taskId);
    return page;
  }

  async *abandoned(): AsyncIterable<TaskRecord> {
    for (const taskId of this.#table.unfinishedIds()) {
      const record = await this.get(taskId);
      if (record !== undefined) yield record;
    }
  }

  watch(listener: (record: TaskRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves once all changes are on the disk and other processes can open the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#table.close();
    await Promise.allSettled([this.#current?.written, this.#next?.written]);
    await this.#lock.release();
  }

  /** The input goes to the disk once. Later lines of the task have none. */
  async #store(record: TaskRecord, input?: TaskInput): Promise<void> {
    await this.#append(record.taskId, JSON.stringify({ task: record, input }), record);
  }

  /** Resolves once the line is on the disk. */
  #append(taskId: string, line: string, record?: TaskRecord): Promise<void> {
    this.#next ??= this.#newBatch();
    const { lines, stored, taskIds, written } = this.#next;
    lines.push(line);
    taskIds.add(taskId);
    if (record) stored.push(record);
    return written;
  }

  #newBatch(): Batch {
    const lines: string[] = [];
    const stored: TaskRecord[] = [];
    // Each change of the batch rejects if the write fails. The next write then writes all records.
    const written = this.#write(this.#current?.written, lines, stored);
    return { lines, stored, taskIds: new Set(), written };
  }

  async #write(before: Promise<void> | undefined, lines: string[], stored: TaskRecord[]): Promise<void> {
    await Promise.allSettled([before]);
    // Changes of this turn of the event loop share one write.
    await new Promise((resolve) => setImmediate(resolve));
    this.#current = this.#next;
    this.#next = undefined;
    const all = () => this.#table.texts().map(lineOf);
    await this.#journal.append(lines, all, () => this.#requireOwn());
    this.#current = undefined;
    for (const record of stored) for (const listener of this.#listeners) listener(record);
  }

  /** Another process takes the lock over if this one was suspended for seconds. Its changes must not be overwritten. */
  async #requireOwn(): Promise<void> {
    const isLost = (await this.#lock.isTaken()) || (await this.#journal.isChanged());
    if (isLost) throw inUse(this.#path, "another process");
  }

  /** Resolves once the changes of a task that are under way are on the disk. Rejects if they could not be written. */
  async #written(taskId: string): Promise<void> {
    const batch = [this.#next, this.#current].find((each) => each?.taskIds.has(taskId));
    await batch?.written;
  }

  #requireOpen(): void {
    if (this.#closing !== undefined)
      throw new SdkError("connection-closed", `${this.#path}: the store of tasks is closed`);
  }
}

function lineOf({ text, input }: ReturnType<TaskTable["texts"]>[number]): string {
  return input === undefined ? `{"task":${text}}` : `{"task":${text},"input":${input}}`;
}

/** Applies a line of the journal. False for a line that this store did not write. */
function restoreLine(table: TaskTable, line: string): boolean {
  const { task, input, deleted } = parseLine(line);
  if (mayBeTaskId(deleted)) table.delete(deleted);
  else if (isJsonObject(task) && mayBeTaskId(task.taskId)) {
    // Only this class writes such lines.
    table.restore(task as unknown as TaskRecord, input as TaskInput | undefined);
  } else return false;
  return true;
}

function parseLine(line: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(line);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function notAStore(path: string): SdkError {
  const advice = "move it away to begin with an empty store, which forgets all tasks";
  return new SdkError("invalid-argument", `${path} is not a store of tasks; ${advice}`);
}

function inUse(path: string, holder: string, cause?: SdkError): SdkError {
  const advice = "close that store first, or give each one a file of its own";
  return new SdkError("invalid-argument", `${path} is in use by ${holder}; ${advice}`, { cause });
}
