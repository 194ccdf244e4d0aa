/**
 * An append-only file of lines. The first line names the format, each other line is a change. Once the appended changes are
 * larger than the rest of the file, the whole file is replaced. A line that a crash cut off is dropped. A lock of the caller keeps
 * other processes out; `isChanged` tells whether one of them wrote nevertheless.
 */
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { writeAtomically } from "./atomic-file.js";
import { markOf } from "./file-mark.js";

/** The mark of a missing file. */
const MISSING = "missing";
/** Bytes of changes that are appended at least before the file is replaced. */
const MIN_APPENDED_BYTES = 1_048_576;

export class JournalFile {
  readonly #path: string;
  readonly #format: string;
  #writtenBytes = 0;
  #appendedBytes = 0;
  /** Whether the last line of the file may be incomplete, after a crash or a failed write. */
  #isTorn = true;
  /** The file as this process read or wrote it last. Undefined while this process writes. */
  #mark: string | undefined;

  constructor(path: string, format: string) {
    this.#path = path;
    this.#format = format;
  }

  /** Reads the lines after the first. Empty for a missing file, undefined for a file of another format. */
  async read(): Promise<string[] | undefined> {
    await this.#remember();
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return `${this.#format}\n`;
      throw error;
    });
    const [format, ...lines] = text.split("\n");
    // The last line is empty, or was cut off.
    lines.pop();
    return format === this.#format && text.length > format.length ? lines : undefined;
  }

  /** True if another process has written the file. */
  async isChanged(): Promise<boolean> {
    const expected = this.#mark;
    const found = await markOf(this.#path);
    // A write of this process meanwhile makes the two incomparable.
    const isComparable = expected !== undefined && expected === this.#mark;
    return isComparable && found !== undefined && found !== expected;
  }

  /**
   * Appends lines, or replaces the file by `all` lines. Resolves once they are on the disk. Must not be called concurrently.
   * @param confirm called right before the change of the file; prevents the change by a rejection
   */
  async append(lines: readonly string[], all: () => readonly string[], confirm: () => Promise<void>): Promise<void> {
    const isHeavy = this.#appendedBytes > Math.max(MIN_APPENDED_BYTES, this.#writtenBytes);
    if (this.#isTorn || isHeavy) return this.#replace(all(), confirm);
    await confirm();
    this.#isTorn = true;
    this.#mark = undefined;
    try {
      this.#appendedBytes += await appendDurably(this.#path, textOf(lines));
      this.#isTorn = false;
    } finally {
      await this.#remember();
    }
  }

  async #replace(lines: readonly string[], confirm: () => Promise<void>): Promise<void> {
    const text = textOf([this.#format, ...lines]);
    try {
      await writeAtomically(this.#path, text, async () => {
        await confirm();
        this.#mark = undefined;
      });
    } finally {
      // The file is unchanged if the replacement was not confirmed.
      if (this.#mark === undefined) await this.#remember();
    }
    this.#writtenBytes = text.length;
    this.#appendedBytes = 0;
    this.#isTorn = false;
  }

  async #remember(): Promise<void> {
    this.#mark = (await markOf(this.#path)) ?? MISSING;
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Appends text and returns the number of its bytes. Rejects if the file is missing, for example after it was moved. */
async function appendDurably(path: string, text: string): Promise<number> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    const bytes = Buffer.from(text);
    await file.writeFile(bytes);
    await file.datasync();
    return bytes.length;
  } finally {
    await file.close();
  }
}
