/** A program of `programs/` in a process of its own, where a heap and an event loop can be measured undisturbed. */
import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withDeadline } from "../deadline.js";
import { RawLines } from "../stdio/raw-lines.js";

const DEADLINE_MS = 30_000;
const STDIO: StdioOptions = ["pipe", "pipe", "inherit", "ipc"];

export class MeasuredProgram implements AsyncDisposable {
  readonly port: number;
  /** Its standard input and output. */
  readonly lines: RawLines;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error("A program is started with pipes");
    this.lines = new RawLines({ input: stdout, output: stdin });
    this.#child = child;
    this.port = port;
  }

  /**
   * Resolves when the program has said on which port it serves.
   * @param flags of Node
   * @throws {Error} when the package has not been built.
   */
  static async start(name: string, settings: object = {}, flags: readonly string[] = []): Promise<MeasuredProgram> {
    const built = new URL("../../../packages/sdk/dist/node/index.js", import.meta.url);
    if (!existsSync(built)) throw new Error("programs/ run on the built package: `npm run build` first");
    const path = fileURLToPath(new URL(`../../programs/${name}`, import.meta.url));
    // Coverage of a process that counts its bytes would be among them.
    const { NODE_V8_COVERAGE: _none, NODE_OPTIONS: _noneEither, ...env } = process.env;
    const child = fork(path, [JSON.stringify(settings)], { execArgv: ["--expose-gc", ...flags], env, stdio: STDIO });
    const [{ port }] = await withDeadline(once(child, "message"), DEADLINE_MS, `starting ${name}`);
    return new MeasuredProgram(child, port);
  }

  /** One question at a time. */
  async ask<Answer>(question: object): Promise<Answer> {
    const answered = once(this.#child, "message");
    this.#child.send(question);
    const [answer] = await withDeadline(answered, DEADLINE_MS, `an answer to ${JSON.stringify(question)}`);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
