/** A program that speaks lines over its standard streams, seen from outside. Knows nothing of messages. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

export interface Lines {
  /** Sends text that ends with a line break. */
  write(text: string): void;
  /**
   * Takes whole lines, as many as arrived together, until it is replaced; `onEnd` hears if no more can come.
   * What arrives while nobody listens is dropped.
   */
  listen(onLines: (lines: readonly string[]) => void, onEnd: (reason: Error) => void): void;
}

export class LineProcess implements Lines {
  readonly #child: ChildProcess & { stdin: Writable; stdout: Readable };
  #onLines: (lines: readonly string[]) => void = () => undefined;
  #onEnd: (reason: Error) => void = () => undefined;
  #rest = "";
  #complaints = "";

  /** Starts Node with these arguments. */
  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdout.setEncoding("latin1").on("data", (chunk: string) => this.#receive(chunk));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-2_000);
    });
    // A program that ended is told of by its exit, not by the write that came too late.
    this.#child.stdin.on("error", () => undefined);
    this.#child.once("exit", (code) => this.#onEnd(new Error(`the program ended with ${code}: ${this.#complaints}`)));
  }

  write(text: string): void {
    this.#child.stdin.write(text, "latin1");
  }

  listen(onLines: (lines: readonly string[]) => void, onEnd: (reason: Error) => void): void {
    this.#onLines = onLines;
    this.#onEnd = onEnd;
  }

  /** CPU time of all threads of the process until now. Undefined on other systems than Linux. */
  cpuMs(): number | undefined {
    const threads = `/proc/${this.#child.pid}/task`;
    try {
      // The first number of a thread's `schedstat`, in nanoseconds.
      const times = readdirSync(threads).map((id) =>
        Number.parseInt(readFileSync(`${threads}/${id}/schedstat`, "utf8"), 10),
      );
      return times.reduce((sum, time) => sum + time, 0) / 1e6;
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#onEnd = () => undefined;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    if (lines.length > 0) this.#onLines(lines);
  }
}
