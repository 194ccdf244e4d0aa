/**
 * A lock between processes: a file that exists while somebody holds the lock, and whose time its holder renews. A file
 * that nobody renews was left by a process that ended, and is removed by whoever waits.
 *
 * Age is measured by watching the file, not by comparing clocks: a computer that slept has no stale locks afterwards.
 */
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { SdkError } from "../../errors/sdk-error.js";

export interface FileLockOptions {
  /** Time to wait for the lock. */
  readonly timeoutMs: number;
  /** Time between renewals. @defaultValue 1_000 */
  readonly heartbeatMs?: number;
  /** Time without a renewal after which a lock counts as left behind. @defaultValue 10_000 */
  readonly staleMs?: number;
  /** A clock that never goes back, in milliseconds. @defaultValue performance.now */
  readonly now?: () => number;
  /** @defaultValue a timer */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface HeldLock {
  /** False if somebody took the lock over meanwhile, since this process did not renew it in time. */
  release(): Promise<boolean>;
}

const POLL_MS = 50;

/** @throws {SdkError} `authorization-failed` if the lock is not free in time. */
export async function acquireFileLock(path: string, options: FileLockOptions): Promise<HeldLock> {
  const { timeoutMs, heartbeatMs = 1_000, staleMs = 10_000, now = () => performance.now(), wait = delay } = options;
  const deadlineMs = now() + timeoutMs;
  const watched = { lock: new Watch(path, now), guard: new Watch(`${path}.takeover`, now) };
  for (;;) {
    const file = await createFile(path);
    if (file !== undefined) return new FileLock(path, file, heartbeatMs);
    if ((await watched.lock.unchangedMs()) >= staleMs) await takeOver(watched.lock, watched.guard, staleMs);
    if (now() >= deadlineMs) {
      throw new SdkError(
        "authorization-failed",
        `another process holds the lock on these credentials for ${timeoutMs} ms`,
      );
    }
    await wait(POLL_MS);
  }
}

/**
 * Removes a lock that was left behind. Only the holder of a second file does it, after another look: of two processes that
 * wait, the slower one must not remove the lock that the faster one has made by then.
 */
async function takeOver(lock: Watch, guard: Watch, staleMs: number): Promise<void> {
  const file = await createFile(guard.path);
  if (file === undefined) {
    if ((await guard.unchangedMs()) >= staleMs) await rm(guard.path, { force: true });
    return;
  }
  try {
    if ((await lock.unchangedMs()) >= staleMs) await rm(lock.path, { force: true });
  } finally {
    await file.close();
    await rm(guard.path, { force: true });
  }
}

/** A new file that names its owner, or undefined if there is one already. */
async function createFile(path: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, "wx", 0o600);
    // For people who look at the file; the lock needs no content.
    await Promise.allSettled([file.writeFile(`process ${process.pid}\n`)]);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

/** Identifies a file and its last renewal. Undefined if the file does not exist. */
async function markOf(path: string): Promise<string | undefined> {
  const [found] = await Promise.allSettled([stat(path, { bigint: true })]);
  return found.status === "fulfilled" ? `${found.value.dev} ${found.value.ino} ${found.value.mtimeNs}` : undefined;
}

/** Knows for how long a file has stayed as it is. */
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

  constructor(path: string, file: FileHandle, heartbeatMs: number) {
    this.#path = path;
    this.#file = file;
    // The open file is renewed, and not the one that has the name by then. A renewal that fails is tried again by the next.
    const renew = () => void Promise.allSettled([file.utimes(new Date(), new Date())]);
    this.#heartbeat = setInterval(renew, heartbeatMs).unref();
  }

  async release(): Promise<boolean> {
    clearInterval(this.#heartbeat);
    // While it is open, no other file has its number.
    const own = await this.#file.stat({ bigint: true });
    const named = await stat(this.#path, { bigint: true }).catch(() => undefined);
    const isOwn = named?.ino === own.ino;
    if (isOwn) await rm(this.#path, { force: true });
    await this.#file.close();
    return isOwn;
  }
}
