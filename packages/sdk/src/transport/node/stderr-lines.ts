/** Splits the stderr of a child process into lines of bounded length. Invalid UTF-8 is replaced. */

const MAX_LINE_LENGTH = 8_192;
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 500;
/** `TypeError: …`, `ValueError: …`, `Uncaught Error: …`, `java.lang.IllegalStateException: …`. */
const ERROR_LINE = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b[^:]*:/;

export class StderrLines {
  readonly #utf8 = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #rest = "";
  #tail: string[] = [];
  /** The last line that names an error. It is shown if a long stack trace has pushed it out of the tail. */
  #error: string | undefined;
  #sinceError = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The last lines, truncated, for the error message of a crash. */
  get tail(): readonly string[] {
    return this.#error === undefined || this.#sinceError < TAIL_LINES ? this.#tail : [this.#error, "…", ...this.#tail];
  }

  write(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#utf8.decode(chunk, { stream: true })).split("\n");
    // `split` returns at least one part.
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#take(line.endsWith("\r") ? line.slice(0, -1) : line);
    while (this.#rest.length > MAX_LINE_LENGTH) {
      this.#take(this.#rest.slice(0, MAX_LINE_LENGTH));
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH);
    }
  }

  end(): void {
    const rest = this.#rest + this.#utf8.decode();
    this.#rest = "";
    if (rest !== "") this.#take(rest);
  }

  #take(line: string): void {
    const short = line.slice(0, TAIL_LINE_LENGTH);
    this.#tail = [...this.#tail.slice(1 - TAIL_LINES), short];
    this.#sinceError += 1;
    if (ERROR_LINE.test(short)) {
      this.#error = short;
      this.#sinceError = 0;
    }
    this.#onLine(line);
  }
}
