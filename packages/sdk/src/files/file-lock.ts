/**
 * A lock between processes: a file that exists while a process holds the lock. The holder renews the file's modification time.
 * A file that is not renewed, or whose process has ended, was left behind; a waiting process removes it.
 *
 * A waiting process measures the age of a file by observing it, not by comparing clocks, so locks survive a sleeping computer.
 */
import { type FileHandle, open, readFile, readlink, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SdkError } from "../errors/sdk-error.js";
import { markOf } from "./file-mark.js";

export interface FileLockOptions {
  /** Time to wait for the lock. */
  readonly timeoutMs: number;
  /** Time between renewals. @defaultValue 1_000 */
  readonly heartbeatMs?: number;
  /** Time without a renewal after which a lock counts as abandoned. @defaultValue 10_000 */
  readonly staleMs?: number;
  /** A clock that never goes back, in milliseconds. @defaultValue performance.now */
  readonly now?: () => number;
  /** @defaultValue a timer */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface HeldLock {
  /** False if another process took the lock over, since this process did not renew it in time. */
  release(): Promise<boolean>;
  /** True if another process holds the lock. A process that took it over may have released it since. */
  isTaken(): Promise<boolean>;
  /** True if this process did not renew the lock for so long, as after a suspension, that another one may have taken it over. */
  mayBeLost(): boolean;
}

const POLL_MS = 50;
/** Renewals that a lock with the id of this process must miss. A worker thread, or another container, may hold it. */
const MISSED_RENEWALS = 3;
let token: string | undefined;

/**
 * Tells the locks of this process from those of an earlier one with the same id, as of a container that was restarted. Made when
 * it is first needed: programs without locks start faster without Node's cryptography.
 */
function ownToken(): string {
  token ??= crypto.randomUUID();
  return token;
}

interface Staleness {
  readonly staleMs: number;
  readonly heartbeatMs: number;
}

/** @throws {SdkError} `request-timeout` if the lock is not free in time. */
export async function acquireFileLock(path: string, options: FileLockOptions): Promise<HeldLock> {
  const { timeoutMs, heartbeatMs = 1_000, staleMs = 10_000, now = () => performance.now(), wait = delay } = options;
  const deadlineMs = now() + timeoutMs;
  const watched = { lock: new Watch(path, now), guard: new Watch(`${path}.takeover`, now) };
  for (;;) {
    const file = await createFile(path);
    if (file !== undefined) return new FileLock(path, file, { heartbeatMs, staleMs, now });
    const staleness = { staleMs, heartbeatMs };
    if (await isAbandoned(watched.lock, staleness)) await takeOver(watched.lock, watched.guard, staleness);
    if (now() >= deadlineMs) {
      throw new SdkError("request-timeout", `another process holds the lock ${path} for ${timeoutMs} ms`);
    }
    await wait(POLL_MS);
  }
}

/**
 * Removes an abandoned lock. Only the holder of a second file, the guard, may remove it, and checks its age again first. Without
 * the guard, the slower of two waiting processes could remove the new lock of the faster one.
 */
async function takeOver(lock: Watch, guard: Watch, staleness: Staleness): Promise<void> {
  const file = await createFile(guard.path);
  if (file === undefined) {
    if ((await guard.unchangedMs()) >= staleness.staleMs) await rm(guard.path, { force: true });
    return;
  }
  try {
    if (await isAbandoned(lock, staleness)) await rm(lock.path, { force: true });
  } finally {
    await file.close();
    await rm(guard.path, { force: true });
  }
}

async function isAbandoned(lock: Watch, { staleMs, heartbeatMs }: Staleness): Promise<boolean> {
  const unchangedMs = await lock.unchangedMs();
  if (unchangedMs >= staleMs) return true;
  const [, id, host, namespace, held] = HOLDER.exec(await textOf(lock.path)) ?? [];
  if (host !== hostname()) return false;
  if (Number(id) === process.pid) return held !== ownToken() && unchangedMs >= MISSED_RENEWALS * heartbeatMs;
  return namespace === (await pidNamespace()) && hasEnded(Number(id));
}

/** Names the holder of a lock: its process and host, or "this process". Empty if the file does not exist. */
export async function holderOf(path: string): Promise<string> {
  const text = await textOf(path);
  return text.includes(ownToken()) ? "this process" : text.replace(/\n.*/s, "");
}

const HOLDER = /^process (\d+) on (.*)\n(\S+) (\S+)\n$/;

async function holderText(): Promise<string> {
  return `process ${process.pid} on ${hostname()}\n${await pidNamespace()} ${ownToken()}\n`;
}

/**
 * Identifies the processes among which a process id is unique. Containers have separate ids, and may have the same host name.
 * Only Linux has such namespaces.
 */
function pidNamespace(): Promise<string> {
  return readlink("/proc/self/ns/pid").catch(() => "host");
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

function hasEnded(id: number): boolean {
  try {
    return !process.kill(id, 0);
  } catch (error) {
    // EPERM is the answer for a process of another user.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Creates a file that names its process. Undefined if the file exists already. */
async function createFile(path: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, "wx", 0o600);
    // Without its content, a lock that was left behind is still found by its age.
    await Promise.allSettled([file.writeFile(await holderText())]);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

/** Measures for how long a file has not changed. */
class Watch {
  readonly path: string;
  readonly #now: () => number;
  #mark: string | undefined;
  #sinceMs = 0;

  constructor(path: string, now: () => number) {
    this.path = path;
    this.#now = now;
  }

  async unchangedMs(): Promise<number> {
    const mark = await markOf(this.path);
    if (mark === undefined || mark !== this.#mark) {
      this.#mark = mark;
      this.#sinceMs = this.#now();
    }
    return this.#now() - this.#sinceMs;
  }
}

class FileLock implements HeldLock {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #staleMs: number;
  readonly #now: () => number;
  #renewedMs: number;

  constructor(path: string, file: FileHandle, { heartbeatMs, staleMs, now }: Staleness & { now: () => number }) {
    this.#path = path;
    this.#file = file;
    this.#staleMs = staleMs;
    this.#now = now;
    this.#renewedMs = now();
    // The next beat repeats a failed one.
    this.#heartbeat = setInterval(() => void Promise.allSettled([this.#renew()]), heartbeatMs).unref();
  }

  /** Renews through the handle, since another process may have replaced the file of this name. */
  async #renew(): Promise<void> {
    const startMs = this.#now();
    await this.#file.utimes(new Date(), new Date());
    if ((await this.#named()) === "own file") this.#renewedMs = startMs;
  }

  async release(): Promise<boolean> {
    clearInterval(this.#heartbeat);
    const isOwn = (await this.#named()) === "own file";
    if (isOwn) await rm(this.#path, { force: true });
    await this.#file.close();
    return isOwn;
  }

  async isTaken(): Promise<boolean> {
    return (await this.#named()) === "another file";
  }

  mayBeLost(): boolean {
    return this.#now() - this.#renewedMs >= this.#staleMs / 2;
  }

  async #named(): Promise<"own file" | "another file" | "nothing"> {
    // The inode number is not reused while the handle is open.
    const own = await this.#file.stat({ bigint: true });
    const [named] = await Promise.allSettled([stat(this.#path, { bigint: true })]);
    if (named.status === "rejected") return "nothing";
    return named.value.ino === own.ino ? "own file" : "another file";
  }
}
