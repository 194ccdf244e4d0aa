/**
 * A file of lines that grows at its end: the first line names its format, each other one is a change. It is replaced as a
 * whole once its changes weigh more than what they changed. A line that a crash cut off is dropped.
 */
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { writeAtomically } from "./atomic-file.js";

/** Changes of this many bytes are appended before the file is replaced, however small it is. */
const MIN_APPENDED_BYTES = 1_048_576;

export class JournalFile {
  readonly #path: string;
  readonly #format: string;
  #writtenBytes = 0;
  #appendedBytes = 0;
  /** The end of the file may be a line that was cut off, by a crash or by a write that failed. */
  #isTorn = true;

  constructor(path: string, format: string) {
    this.#path = path;
    this.#format = format;
  }

  /** The lines after the first. Empty for a file that does not exist, undefined for a file of another format. */
  async read(): Promise<string[] | undefined> {
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return `${this.#format}\n`;
      throw error;
    });
    const [format, ...lines] = text.split("\n");
    // The last line is empty, or was cut off.
    lines.pop();
    return format === this.#format && text.length > format.length ? lines : undefined;
  }

  /** Appends lines, or replaces the file by `all` lines. They are on the disk when this resolves. One call at a time. */
  async append(lines: readonly string[], all: () => readonly string[]): Promise<void> {
    const isHeavy = this.#appendedBytes > Math.max(MIN_APPENDED_BYTES, this.#writtenBytes);
    if (this.#isTorn || isHeavy) return this.#replace(all());
    this.#isTorn = true;
    this.#appendedBytes += await appendDurably(this.#path, textOf(lines));
    this.#isTorn = false;
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const text = textOf([this.#format, ...lines]);
    await writeAtomically(this.#path, text);
    this.#writtenBytes = text.length;
    this.#appendedBytes = 0;
    this.#isTorn = false;
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The number of bytes that were appended. Fails if there is no file: it was moved away. */
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
