/** What a child process writes to stderr, as lines of bounded length. Text for people: broken bytes are replaced. */

const MAX_LINE_LENGTH = 8_192;
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 500;

export class StderrLines {
  readonly #utf8 = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #rest = "";
  #tail: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The last lines, each cut short: what a crash is explained with. */
  get tail(): readonly string[] {
    return this.#tail;
  }

  write(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#utf8.decode(chunk, { stream: true })).split("\n");
    // Splitting yields one part at least.
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
    this.#tail = [...this.#tail.slice(1 - TAIL_LINES), line.slice(0, TAIL_LINE_LENGTH)];
    this.#onLine(line);
  }
}
