/** Calls over lines, so many in flight at a time. The clock of the stdio measures. */
import { awake } from "../awake.js";
import { CallLines, INITIALIZE, INITIALIZED } from "./call-lines.js";
import type { Lines } from "./line-process.js";
import type { StdioContender } from "./stdio-contenders.js";

export class LineLoad {
  readonly #lines: Lines;
  readonly #calls: CallLines;
  readonly #isLegacy: boolean;

  constructor(lines: Lines, { era, role }: Pick<StdioContender, "era" | "role">) {
    this.#lines = lines;
    // The floor answers everything with the same constant.
    this.#calls = new CallLines(era, role !== "floor");
    this.#isLegacy = era === "legacy";
  }

  /** Shakes hands where the era has a handshake. */
  async open(): Promise<void> {
    if (!this.#isLegacy) return;
    await new Promise<void>((resolve, reject) => {
      this.#lines.listen(([line = ""]) => (line.includes('"result"') ? resolve() : reject(new Error(line))), reject);
      this.#lines.write(INITIALIZE);
    });
    this.#lines.write(INITIALIZED);
  }

  /** The first call, alone. */
  async callOnce(): Promise<void> {
    await this.#exchange(1, () => false);
  }

  /** @throws {Error} at a wrong answer, or if the program ended. */
  async callsPerSecond(depth: number, durationMs: number): Promise<number> {
    const startedAt = performance.now();
    const calls = await awake(() => this.#exchange(depth, () => performance.now() - startedAt < durationMs));
    return (calls * 1_000) / (performance.now() - startedAt);
  }

  /** Keeps `depth` calls in flight as long as it is told to go on, then waits for the last; how many there were. */
  #exchange(depth: number, goesOn: () => boolean): Promise<number> {
    let inFlight = depth;
    let answered = 0;
    return new Promise((resolve, reject) => {
      this.#lines.listen((lines) => {
        try {
          for (const line of lines) this.#calls.take(line);
          answered += lines.length;
          inFlight -= lines.length;
          const more = goesOn() ? depth - inFlight : 0;
          if (more > 0) this.#lines.write(this.#issue(more));
          inFlight += more;
          if (inFlight === 0) resolve(answered);
        } catch (error) {
          reject(error);
        }
      }, reject);
      this.#lines.write(this.#issue(depth));
    });
  }

  #issue(count: number): string {
    let text = "";
    for (let index = 0; index < count; index++) text += this.#calls.issue();
    return text;
  }
}
