/** Serves a folder of skills, and reads it again when its files change. */
import { type FSWatcher, watch } from "node:fs";
import { checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { createErrorCallback, type ErrorCallback } from "../../runtime/error-callback.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import { PublishedSkills } from "../published-skills.js";
import { SERVE_OPTIONS, type ServeSkillsOptions } from "../serve-skills.js";
import { readSkillFolder, type SkillFolder, type SkillFolderLimits } from "./read-skill-folder.js";

/** The folder to serve, and its limits. */
export interface ServeSkillFolderOptions extends ServeSkillsOptions, SkillFolderLimits {
  /** A folder whose directories with a `SKILL.md` are skills. The path below the folder is the path of the skill. */
  readonly folder: string;
  /** Reads the folder again when files change. @defaultValue true */
  readonly watch?: boolean | undefined;
  /** Time without a change before the folder is read again. @defaultValue 200 */
  readonly settleMs?: number | undefined;
  /**
   * Called with every skill that is left out, and with failures to read or watch the folder. The reason of a bad skill is reported
   * again if the reason or the `SKILL.md` changes.
   * @defaultValue console.error
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A folder of skills that a server serves. */
export interface ServedSkillFolder {
  /** The URIs of the skills, in order. */
  readonly uris: readonly string[];
  /** Reads the folder now. Failures go to `onError`; the skills then stay as they were. */
  refresh(): Promise<void>;
  /** Stops watching. The skills are still served. */
  close(): void;
  [Symbol.dispose](): void;
}

const OPTIONS: OptionTable<ServeSkillFolderOptions> = {
  ...SERVE_OPTIONS,
  ...{ folder: true, watch: "boolean", settleMs: true, maxSkills: true, maxBytes: true, onError: "function" },
};
const DEFAULT_SETTLE_MS = 200;

/**
 * Adds the skills extension to a server and serves the skills of a folder. The skills are kept in memory: requests do not read files.
 * Watching does not keep the process alive.
 * @throws {SdkError} `invalid-argument` for a folder that cannot be read, or an option out of range.
 *
 * @example
 * await serveSkillFolder(server, { folder: "./skills" });
 */
export async function serveSkillFolder(
  server: McpServer,
  options: ServeSkillFolderOptions,
): Promise<ServedSkillFolder> {
  checkServer("serveSkillFolder", server);
  const { folder, settleMs = DEFAULT_SETTLE_MS, onError = console.error } = options ?? {};
  if (typeof folder !== "string" || folder === "") {
    throw new SdkError("invalid-argument", 'folder: write serveSkillFolder(server, { folder: "./skills" })');
  }
  checkOptions("serveSkillFolder", options, OPTIONS);
  checkTimer("settleMs", settleMs);
  const report = createErrorCallback(onError);
  let known: SkillFolder["problems"] = new Map();
  const read = async () => {
    const found = await readSkillFolder(folder, options);
    for (const [key, problem] of found.problems) if (!known.has(key)) report(problem);
    known = found.problems;
    return found;
  };
  const first = await read();
  const served = new PublishedSkills(server, first.skills, options.pageSize);
  const watched = new WatchedFolder(served, read, settleMs, report);
  if (options.watch !== false) watched.watch(first.directories);
  return {
    get uris() {
      return served.uris;
    },
    refresh: () => watched.refresh(),
    close: () => watched.close(),
    [Symbol.dispose]: () => watched.close(),
  };
}

class WatchedFolder {
  readonly #served: PublishedSkills;
  readonly #read: () => Promise<SkillFolder>;
  readonly #settleMs: number;
  readonly #report: ErrorCallback;
  /** One watcher per directory. Recursive watchers also watch hidden directories, without a bound. */
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #isWatching = false;
  /** The refresh in progress, or the last one. Refreshes run one after another. */
  #refreshed: Promise<void> = Promise.resolve();

  constructor(served: PublishedSkills, read: () => Promise<SkillFolder>, settleMs: number, report: ErrorCallback) {
    this.#served = served;
    this.#read = read;
    this.#settleMs = settleMs;
    this.#report = report;
  }

  watch(directories: readonly string[]): void {
    this.#isWatching = true;
    this.#follow(directories);
  }

  refresh(): Promise<void> {
    this.#refreshed = this.#refreshed.then(() => this.#readAgain());
    return this.#refreshed;
  }

  close(): void {
    this.#isWatching = false;
    clearTimeout(this.#timer);
    this.#follow([]);
  }

  async #readAgain(): Promise<void> {
    try {
      const { skills, directories } = await this.#read();
      this.#served.replace(skills);
      // Files may have come to a new directory before its watcher.
      if (this.#isWatching && this.#follow(directories)) this.#schedule();
    } catch (cause) {
      this.#report(new SdkError("handler-failed", "The folder of skills could not be read again", { cause }));
    }
  }

  /** Watches these directories and no others. Returns whether one of them is new. */
  #follow(directories: readonly string[]): boolean {
    const wanted = new Set(directories);
    for (const [path, watcher] of this.#watchers) if (!wanted.has(path)) this.#unwatch(path, watcher);
    const added = directories.filter((path) => !this.#watchers.has(path));
    for (const path of added) this.#watchOne(path);
    return added.length > 0;
  }

  #watchOne(path: string): void {
    try {
      const watcher = watch(path, { persistent: false }, () => this.#schedule());
      watcher.on("error", () => {
        // The directory was removed: the next reading decides what to watch.
        this.#unwatch(path, watcher);
        this.#schedule();
      });
      this.#watchers.set(path, watcher);
    } catch (cause) {
      this.#report(
        new SdkError("handler-failed", "A directory of skills cannot be watched; call refresh()", { cause }),
      );
    }
  }

  #unwatch(path: string, watcher: FSWatcher): void {
    this.#watchers.delete(path);
    watcher.close();
  }

  #schedule(): void {
    if (!this.#isWatching) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), this.#settleMs).unref();
  }
}
