/** Stores tasks in Redis, for several processes. The leases of queued work are part of the records. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ProtocolError } from "parley-mcp/server";
import {
  isTerminal,
  type TaskInput,
  type TaskPage,
  type TaskRecord,
  type TaskStore,
  type TaskStoreLimits,
  taskBytes,
  taskSummary,
} from "parley-mcp/tasks";
import { brokenValue } from "./bounded-table.js";
import { checkFrom } from "./limit-checks.js";
import type { RedisConnection } from "./redis-connection.js";
import { CLAIM_TASK, CREATE_TASK, DELETE_TASK, LIST_TASKS, REPLACE_TASK } from "./task-scripts.js";

/** The limits of a `RedisTaskStore`, for all processes together. */
export interface RedisTaskStoreOptions extends TaskStoreLimits {
  /**
   * Milliseconds without a sign of life after which a process counts as ended, so that another one may recover its tasks.
   * @defaultValue 30_000
   */
  readonly aliveMs?: number | undefined;
}

/** A page ends with the task that reaches it. */
const MAX_PAGE_BYTES = 1_048_576;
/** Records that are read at once. */
const BATCH = 50;
const SPARE_MS = 60_000;
/** Redis keeps a task without an end for a year after its last change. */
const FOREVER_MS = 31_536_000_000;
const SIGNS_PER_LIFE = 3;
/** Refused tasks to delete. By default, no more commands than these wait for Redis. */
const MAX_REFUSED = 10_000;
const WITHDRAW_AGAIN_MS = 500;

/**
 * Keeps tasks in Redis. `abandoned` lists the tasks of processes that have ended, and those of this process.
 *
 * @example
 * const store = await RedisTaskStore.open(await RedisConnection.open("redis://localhost:6379"));
 * const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store }) });
 */
export class RedisTaskStore implements TaskStore, AsyncDisposable {
  readonly aliveMs: number;
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #limits: readonly number[];
  readonly #now: () => number;
  readonly #listeners = new Set<(record: TaskRecord) => void>();
  /** Reads of records that are under way, by task. */
  readonly #reads = new Map<string, Promise<string | null>>();
  /** Names this process in Redis. */
  readonly #worker = randomUUID();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  /** Tasks whose creation failed without an answer of Redis. */
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();
  #withdrawing: Promise<void> | undefined;
  #othersEndFrom = 0;
  #stops: readonly (() => unknown)[] = [];

  private constructor(connection: RedisConnection, options: RedisTaskStoreOptions) {
    const { maxTasks = 16_384, maxTasksPerPrincipal = 1_024, now = Date.now, aliveMs = 30_000 } = options;
    const { maxBytes = 67_108_864, maxBytesPerPrincipal = 16_777_216 } = options;
    const limits = { maxTasks, maxTasksPerPrincipal, maxBytes, maxBytesPerPrincipal };
    for (const [name, value] of Object.entries({ ...limits, aliveMs })) checkFrom(name, value, 1);
    this.#connection = connection;
    this.#key = connection.key("tasks");
    this.#limits = Object.values(limits);
    this.#now = () => now();
    this.aliveMs = aliveMs;
    this.#heartbeat = setInterval(() => void this.#showLife().catch(ignore), aliveMs / SIGNS_PER_LIFE);
    this.#heartbeat.unref();
  }

  /**
   * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
   * @throws {ProtocolError} 429 if Redis does not answer
   */
  static async open(connection: RedisConnection, options: RedisTaskStoreOptions = {}): Promise<RedisTaskStore> {
    const store = new RedisTaskStore(connection, options);
    try {
      await store.#start();
    } catch (error) {
      clearInterval(store.#heartbeat);
      throw error;
    }
    return store;
  }

  async create(record: TaskRecord, input: TaskInput): Promise<void> {
    const wasReady = this.#connection.isReady;
    try {
      await this.#write(CREATE_TASK, record, JSON.stringify(input));
    } catch (error) {
      const isUnanswered = error instanceof ProtocolError && error.cause !== undefined;
      if (wasReady && isUnanswered) this.#withdraw(record.taskId);
      throw error;
    }
  }

  async input(taskId: string): Promise<TaskInput | undefined> {
    // A task that expires has no input for its callers, although Redis keeps it a little longer.
    if ((await this.get(taskId)) === undefined) return undefined;
    const key = `${this.#key}:i:${taskId}`;
    const text = (await this.#connection.send(key, ["GET", key])) as string | null;
    return text === null ? undefined : inputIn(text, key);
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    const key = `${this.#key}:r:${taskId}`;
    const text = await this.#textOf(taskId, key);
    const record = text === null ? undefined : recordIn(text, key);
    return record && this.#isAlive(record) ? record : undefined;
  }

  async replace(record: TaskRecord): Promise<boolean> {
    return this.#write(REPLACE_TASK, record);
  }

  async delete(taskId: string): Promise<void> {
    this.#reads.delete(taskId);
    await this.#connection.run(DELETE_TASK, this.#key, this.#now(), taskId);
  }

  async list(principal: string | undefined, cursor: string | undefined, limit: number): Promise<TaskPage> {
    const from = cursor === undefined ? "-" : `=${cursor}`;
    const args = [this.#now(), ownerOf(principal), from, limit, MAX_PAGE_BYTES];
    const page = (await this.#connection.run(LIST_TASKS, this.#key, ...args)) as string[] | null;
    if (page === null) throw unknownCursor();
    const [hasMore, ...texts] = page;
    const tasks = texts.map((text) => taskSummary(recordIn(text, this.#key)));
    return hasMore === "1" ? { tasks, nextCursor: tasks.at(-1)?.taskId } : { tasks };
  }

  async *abandoned(): AsyncIterable<TaskRecord> {
    const key = `${this.#key}:u`;
    yield* this.#claimed((await this.#connection.send(key, ["ZRANGE", key, "0", "-1"])) as string[]);
  }

  /** After a lost connection, other processes have `aliveMs` to connect again too. */
  async *abandonedByOthers(): AsyncIterable<TaskRecord> {
    if (this.#now() < this.#othersEndFrom) return;
    const key = `${this.#key}:w`;
    const pairs = (await this.#connection.send(key, ["HGETALL", key])) as { readonly [taskId: string]: string };
    const ended = new Map<string, boolean>([[this.#worker, false]]);
    const ids: string[] = [];
    for (const [taskId, worker] of Object.entries(pairs)) {
      const isEnded = ended.get(worker) ?? (await this.#isEnded(worker));
      ended.set(worker, isEnded);
      if (isEnded) ids.push(taskId);
    }
    yield* this.#claimed(ids);
  }

  async *#claimed(ids: readonly string[]): AsyncIterable<TaskRecord> {
    for (let start = 0; start < ids.length; start += BATCH) {
      for (const record of await this.#read(ids.slice(start, start + BATCH))) {
        // A worker of a queue that holds the lease of a run is alive.
        if (record.run !== undefined && record.run.until > this.#now()) continue;
        const args = [this.#now(), record.taskId, this.#worker];
        if ((await this.#connection.run(CLAIM_TASK, this.#key, ...args)) === 1) yield record;
      }
    }
  }

  /** Listeners hear the changes of this process when they are stored. After a lost connection, they hear every stored task. */
  watch(listener: (record: TaskRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Lets other processes recover the tasks of this one. Never rejects. The connection stays open. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#closing.abort();
    const stops = this.#stops;
    this.#stops = [];
    await Promise.allSettled(stops.map(async (stop) => stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    await this.#showLife();
    const stopHearing = await this.#connection.subscribe(`${this.#key}:changes`, (message) => this.#heard(message));
    const stopRereading = this.#connection.onReconnect(() => {
      this.#othersEndFrom = this.#now() + this.aliveMs;
      this.#showLife()
        .then(() => this.#reread())
        .catch((error: Error) => this.#connection.report(error));
    });
    const endLife = () => this.#connection.send(this.#aliveKey, ["DEL", this.#aliveKey]);
    this.#stops = [stopRereading, stopHearing, endLife];
  }

  /** Deletes a task that Redis may have stored although its answer came too late: the caller is told that nothing was done. */
  #withdraw(taskId: string): void {
    this.#refused.add(taskId);
    for (const oldest of this.#refused) {
      if (this.#refused.size <= MAX_REFUSED) break;
      this.#refused.delete(oldest);
    }
    this.#withdrawing ??= this.#withdrawAll().finally(() => {
      this.#withdrawing = undefined;
    });
  }

  /** Never rejects. */
  async #withdrawAll(): Promise<void> {
    for (const taskId of this.#refused) {
      while (!this.#closing.signal.aborted && !(await this.#isDeleted(taskId))) {
        await wait(WITHDRAW_AGAIN_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(ignore);
      }
      this.#refused.delete(taskId);
    }
  }

  #isDeleted(taskId: string): Promise<boolean> {
    return this.delete(taskId).then(
      () => true,
      () => false,
    );
  }

  get #aliveKey(): string {
    return `${this.#key}:a:${this.#worker}`;
  }

  async #isEnded(worker: string): Promise<boolean> {
    const key = `${this.#key}:a:${worker}`;
    return (await this.#connection.send(key, ["EXISTS", key])) === 0;
  }

  async #showLife(): Promise<void> {
    await this.#connection.send(this.#aliveKey, ["SET", this.#aliveKey, "1", "PX", String(Math.ceil(this.aliveMs))]);
  }

  /** False if the stored version is not one lower. */
  async #write(script: typeof CREATE_TASK, record: TaskRecord, input = ""): Promise<boolean> {
    const { taskId, principal, version, createdAt, ttlMs } = record;
    const now = this.#now();
    const leftMs = ttlMs === null ? FOREVER_MS : createdAt + ttlMs - now;
    if (leftMs <= 0) return false;
    const text = JSON.stringify(record);
    // A read that began before the change does not show it.
    this.#reads.delete(taskId);
    const outcome = await this.#connection.run(
      script,
      this.#key,
      ...[now, taskId, text, taskBytes(record)],
      ...[ttlMs === null ? "+inf" : createdAt + ttlMs, Math.ceil(leftMs) + SPARE_MS],
      ...[ownerOf(principal), version, this.#worker, isTerminal(record) ? 1 : 0, `${this.#key}:changes`],
      ...this.#limits,
      input,
    );
    if (typeof outcome === "string") throw this.#full(outcome);
    if (outcome === 1) this.#notify(record);
    return outcome === 1;
  }

  /** The text of a record. Calls at the same time share one reply, so that polls of a large task hold it once. */
  #textOf(taskId: string, key: string): Promise<string | null> {
    const read = this.#reads.get(taskId) ?? (this.#connection.send(key, ["GET", key]) as Promise<string | null>);
    this.#reads.set(taskId, read);
    const forget = () => {
      if (this.#reads.get(taskId) === read) this.#reads.delete(taskId);
    };
    read.then(forget, forget);
    return read;
  }

  /** The records that exist, in the order of their ids. */
  async #read(ids: readonly string[]): Promise<TaskRecord[]> {
    const keys = ids.map((id) => `${this.#key}:r:${id}`);
    const texts = (await this.#connection.send(this.#key, ["MGET", ...keys])) as (string | null)[];
    const records = texts.map((text, index) => (text === null ? undefined : recordIn(text, `${keys[index]}`)));
    return records.filter((record) => record !== undefined && this.#isAlive(record)) as TaskRecord[];
  }

  #isAlive({ createdAt, ttlMs }: TaskRecord): boolean {
    return ttlMs === null || createdAt + ttlMs > this.#now();
  }

  /** The changes of this process are heard when they are stored. */
  #heard(message: string): void {
    const space = message.indexOf(" ");
    if (message.slice(0, space) === this.#worker) return;
    try {
      this.#notify(recordIn(message.slice(space + 1), `${this.#key}:changes`));
    } catch (error) {
      this.#connection.report(error as Error);
    }
  }

  /** Changes were missed, and the store does not know which. */
  async #reread(): Promise<void> {
    const key = `${this.#key}:x`;
    const ids = (await this.#connection.send(key, ["ZRANGE", key, "0", "-1"])) as string[];
    for (let start = 0; start < ids.length; start += BATCH) {
      for (const record of await this.#read(ids.slice(start, start + BATCH))) this.#notify(record);
    }
  }

  #notify(record: TaskRecord): void {
    this.#reads.delete(record.taskId);
    for (const listener of this.#listeners) listener(record);
  }

  #full(outcome: string): ProtocolError {
    const [limit, kind] = outcome.split(" ");
    const [maxTasks, maxTasksOfOne, maxBytes, maxBytesOfOne] = this.#limits;
    const isOfOne = limit === "principal";
    const message =
      kind === "tasks"
        ? `Too many tasks: at most ${isOfOne ? maxTasksOfOne : maxTasks} are kept; wait until tasks expire`
        : `Too much to keep: tasks take at most ${isOfOne ? maxBytesOfOne : maxBytes} bytes; wait until tasks expire`;
    return new ProtocolError(429, message, { data: { limit } });
  }
}

function ownerOf(principal: string | undefined): string {
  return principal === undefined ? "-" : `=${principal}`;
}

function recordIn(text: string, key: string): TaskRecord {
  try {
    const record = JSON.parse(text) as Partial<TaskRecord>;
    const { taskId, version, status, createdAt } = record;
    const isNamed = typeof taskId === "string" && (!key.includes(":r:") || key.endsWith(`:${taskId}`));
    const isDated = typeof createdAt === "number" && Number.isInteger(version);
    if (isNamed && isDated && typeof status === "string") return record as TaskRecord;
  } catch {
    // Reported below, like other values.
  }
  throw brokenValue(key);
}

function inputIn(text: string, key: string): TaskInput {
  try {
    const input = JSON.parse(text) as Partial<TaskInput> | null;
    if (typeof input?.params === "object") return input as TaskInput;
  } catch {
    // Reported below, like other values.
  }
  throw brokenValue(key);
}

function unknownCursor(): ProtocolError {
  return new ProtocolError(-32_602, "cursor: unknown, or its task has expired; list from the start");
}

function ignore(): void {
  // The connection has reported it. The next sign of life follows.
}
