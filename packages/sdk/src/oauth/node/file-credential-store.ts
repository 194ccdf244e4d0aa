/** Stores credentials in files that only their owner can read. The processes of one user may share the files. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkLimit, checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { TEMPORARY, writeAtomically } from "../../files/atomic-file.js";
import { acquireFileLock } from "../../files/file-lock.js";
import type { CredentialStore } from "../client/credential-store.js";

/** The folder of a `FileCredentialStore`, and its limits. */
export interface FileStoreOptions {
  /** A folder for these credentials only. The store creates a missing folder. */
  readonly folder: string;
  /** Bytes of one value. @defaultValue 1_048_576 */
  readonly maxBytes?: number | undefined;
  /** Values to keep. The value written longest ago is deleted first. @defaultValue 10_000 */
  readonly maxEntries?: number | undefined;
  /** Time that `withLock` waits for other processes. @defaultValue 60_000 */
  readonly lockTimeoutMs?: number | undefined;
  /** Called with every problem that no call rejects with, such as a file that is corrupt. @defaultValue none */
  readonly onError?: ((error: Error) => void) | undefined;
}

const OPTIONS: OptionTable<FileStoreOptions> = {
  folder: true,
  maxBytes: true,
  maxEntries: true,
  lockTimeoutMs: true,
  onError: "function",
};

/** Age at which a temporary file counts as left by a process that was killed while it wrote. */
const LEFT_BEHIND_MS = 3_600_000;
const VALUE = ".json";

/**
 * Keeps credentials in a folder. Other users cannot open the folder or its files. Values are replaced atomically. Processes that
 * share the folder wait for each other's locks.
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1, or a folder that others own or can open.
 *
 * @example
 * const store = new FileCredentialStore({ folder: join(homedir(), ".my-program", "credentials") });
 */
export class FileCredentialStore implements CredentialStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #lockTimeoutMs: number;
  readonly #onError: (error: Error) => void;
  #opened: Promise<void> | undefined;

  constructor(options: FileStoreOptions) {
    if (typeof options?.folder !== "string" || options.folder === "") {
      throw new SdkError("invalid-argument", 'folder: write new FileCredentialStore({ folder: "./credentials" })');
    }
    checkOptions("FileCredentialStore", options, OPTIONS);
    const { folder, maxBytes = 1_048_576, maxEntries = 10_000, lockTimeoutMs = 60_000, onError } = options;
    checkLimit("maxBytes", maxBytes);
    checkLimit("maxEntries", maxEntries);
    checkTimer("lockTimeoutMs", lockTimeoutMs);
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#onError = onError ?? (() => undefined);
  }

  /** Reports a corrupt file to `onError`, and treats it as absent. */
  async get(key: string): Promise<string | undefined> {
    await this.#open();
    const text = await this.#read(this.#path(key));
    if (text === undefined || isJson(text)) return text;
    this.#report("a stored credential is not JSON any more and counts as absent; log in again");
    return undefined;
  }

  /** @throws {SdkError} `invalid-argument` for a value that is not JSON or over the limit. */
  async set(key: string, value: string): Promise<void> {
    if (!isJson(value)) throw new SdkError("invalid-argument", "value: expected JSON");
    if (Buffer.byteLength(value) > this.#maxBytes) {
      throw new SdkError("invalid-argument", `value: expected at most ${this.#maxBytes} bytes`);
    }
    await this.#open();
    await writeAtomically(this.#path(key), value);
    await this.#dropOldest();
  }

  async delete(key: string): Promise<void> {
    await this.#open();
    await rm(this.#path(key), { force: true });
  }

  /** @throws {SdkError} `authorization-failed` if another process holds the lock for `lockTimeoutMs`. */
  async withLock<T>(key: string, run: () => Promise<T>): Promise<T> {
    await this.#open();
    const lock = await acquireFileLock(`${this.#path(key)}.lock`, { timeoutMs: this.#lockTimeoutMs }).catch(
      (cause: unknown) => {
        throw cause instanceof SdkError ? new SdkError("authorization-failed", cause.message, { cause }) : cause;
      },
    );
    try {
      return await run();
    } finally {
      const wasHeld = await lock.release();
      if (!wasHeld)
        this.#report("another process took over a lock on credentials, since this one stood still for too long");
    }
  }

  /** Names the file of a key by a digest, since keys contain URLs and may be long. */
  #path(key: string): string {
    return join(this.#folder, `${createHash("sha256").update(key).digest("hex")}${VALUE}`);
  }

  async #read(path: string): Promise<string | undefined> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new SdkError("authorization-failed", "a stored credential cannot be opened", { cause: error });
    });
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      if (size <= this.#maxBytes) return await file.readFile("utf8");
      this.#report(`a stored credential has more than ${this.#maxBytes} bytes and counts as absent; log in again`);
      return undefined;
    } finally {
      await file.close();
    }
  }

  #open(): Promise<void> {
    this.#opened ??= this.#prepare().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const { mode, uid } = await stat(this.#folder);
    // Windows has neither owner id nor mode bits: its folders inherit their permissions.
    const owner = process.getuid?.();
    if (owner !== undefined && uid !== owner) {
      const complaint = `expected one of the user with the id ${owner}, who runs this process; it belongs to ${uid}`;
      throw new SdkError("invalid-argument", `folder: ${complaint}, who could replace what is in it`);
    }
    if (owner !== undefined && (mode & 0o077) !== 0) {
      throw new SdkError(
        "invalid-argument",
        "folder: expected one that only its owner can open; use a folder of its own, or chmod 700",
      );
    }
    for (const { path, mtimeMs } of await this.#oldestFirst(await this.#names(TEMPORARY))) {
      if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true });
    }
  }

  async #dropOldest(): Promise<void> {
    const names = await this.#names(VALUE);
    const excess = names.length - this.#maxEntries;
    if (excess <= 0) return;
    for (const { path } of (await this.#oldestFirst(names)).slice(0, excess)) await rm(path, { force: true });
  }

  async #names(ending: string): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => name.endsWith(ending));
  }

  async #oldestFirst(names: readonly string[]): Promise<{ readonly path: string; readonly mtimeMs: number }[]> {
    const files = names.map(async (name) => {
      const path = join(this.#folder, name);
      // Another process may have removed the file. It then sorts last, so that it is not removed again.
      const mtimeMs = await stat(path).then(
        (stats) => stats.mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      return { path, mtimeMs };
    });
    return (await Promise.all(files)).sort((one, other) => one.mtimeMs - other.mtimeMs);
  }

  #report(message: string): void {
    this.#onError(new SdkError("authorization-failed", message));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
