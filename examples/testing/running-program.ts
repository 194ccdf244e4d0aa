/** A program in a Node process of its own: what it prints, and how it ends. It does not outlive the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from its standard input, which ends then. */
  readonly input?: string;
}

const DEADLINE_MS = 20_000;

export class RunningProgram implements AsyncDisposable {
  /** All that it has printed, on both streams. */
  output = "";
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | NodeJS.Signals>;
  readonly #changes = new EventTarget();

  constructor(path: string, { args = [], env = {}, input }: ProgramOptions = {}) {
    this.#child = spawn(process.execPath, [path, ...args], { env: { PORT: "0", ...env } });
    this.#child.stdin?.end(input);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => this.#print(text));
    }
    // After its streams have ended, so that all of the output is there.
    this.#exited = once(this.#child, "close").then(([code, signal]) => {
      this.#changes.dispatchEvent(new Event("change"));
      return code ?? signal;
    });
  }

  /** @throws {Error} with the output when the program ends, or a while passes, before it prints that. */
  async printed(pattern: RegExp): Promise<string> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found[1] ?? found[0];
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null || deadline.aborted) {
        throw new Error(`${pattern} was not printed, but:\n${this.output}`);
      }
      await once(this.#changes, "change", { signal: deadline }).catch(() => undefined);
    }
  }

  /** Where it listens. */
  url(): Promise<string> {
    return this.printed(/listen\S* at (http:\S+\/mcp)/);
  }

  /** The exit code, or the signal that ended it. @throws {Error} when it runs on for too long. */
  async exited(): Promise<number | NodeJS.Signals> {
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), DEADLINE_MS);
    const end = await this.#exited;
    clearTimeout(deadline);
    if (end === "SIGKILL") throw new Error(`The program did not end by itself. It printed:\n${this.output}`);
    return end;
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.exited();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  #print(text: string): void {
    this.output += text;
    this.#changes.dispatchEvent(new Event("change"));
  }
}
