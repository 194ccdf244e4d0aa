/**
 * A program of this folder in a process of its own, with a heap of 256 MB where it is the one under attack. The program
 * reports `{ ready }` over its channel, then answers one question at a time. A program that dies is reported, not awaited.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withDeadline } from "../deadline.js";

const START_DEADLINE_MS = 30_000;
const MAX_STDERR_CHARACTERS = 20_000;

export interface ProgramOptions {
  /** The limit of the old generation in megabytes. */
  readonly heapMegabytes?: number;
}

export class ConfinedProgram<Ready> implements AsyncDisposable {
  readonly ready: Ready;
  readonly #child: ChildProcess;
  readonly #end: { reason: string | undefined };
  readonly #exited: Promise<never>;

  private constructor(child: ChildProcess, ready: Ready, end: { reason: string | undefined }, exited: Promise<never>) {
    this.#child = child;
    this.ready = ready;
    this.#end = end;
    this.#exited = exited;
  }

  /** @throws {Error} when the package has not been built, or the program dies before it is ready. */
  static async start<Ready>(
    name: string,
    settings: object = {},
    { heapMegabytes }: ProgramOptions = {},
  ): Promise<ConfinedProgram<Ready>> {
    const built = new URL("../../../packages/sdk/dist/node/index.js", import.meta.url);
    if (!existsSync(built)) throw new Error("The programs run on the built package: `npm run build` first");
    // Coverage of a process whose heap is bounded would be part of that heap.
    const { NODE_V8_COVERAGE: _coverage, NODE_OPTIONS: _options, ...env } = process.env;
    const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`];
    const path = fileURLToPath(new URL(name, import.meta.url));
    const child = fork(path, [JSON.stringify(settings)], {
      execArgv: ["--expose-gc", ...heap],
      env,
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    const end: { reason: string | undefined } = { reason: undefined };
    const exited = whenExited(child, name, end);
    exited.catch(() => undefined);
    const [{ ready }] = await withDeadline(
      Promise.race([once(child, "message"), exited]),
      START_DEADLINE_MS,
      `starting ${name}`,
    );
    return new ConfinedProgram<Ready>(child, ready, end, exited);
  }

  /** Why the program has ended: its signal or code, and the fatal line of its standard error. Undefined while it runs. */
  get endReason(): string | undefined {
    return this.#end.reason;
  }

  /** Rejects when the program dies, or does not answer in time. */
  async ask<Answer>(question: object, deadlineMs: number): Promise<Answer> {
    const answered = once(this.#child, "message");
    if (this.#child.connected) this.#child.send(question);
    const [answer] = await withDeadline(
      Promise.race([answered, this.#exited]),
      deadlineMs,
      `an answer to ${JSON.stringify(question)}`,
    );
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end.reason !== undefined) return;
    this.#child.kill("SIGKILL");
    await this.#exited.catch(() => undefined);
  }
}

async function whenExited(child: ChildProcess, name: string, end: { reason: string | undefined }): Promise<never> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS);
  });
  const [code, signal] = await once(child, "exit");
  const fatal = /^.*(?:FATAL ERROR|Error:).*$/m.exec(stderr)?.[0] ?? stderr.slice(-200);
  end.reason = `${name} ended with ${signal ?? code}: ${fatal.trim()}`;
  throw new Error(end.reason);
}
