/** A running server process: sends and receives its messages, reads its stderr, and explains its exit in an error. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { MessageLineReader } from "../message-line.js";
import type { ServerCommand } from "../server-command.js";
import type { TransportReceiver } from "../transport.js";
import { childEnvironment } from "./child-environment.js";
import { ChildProcessLifecycle, ignoreError } from "./child-process-lifecycle.js";
import { LineChannel, lineLimits } from "./line-channel.js";
import { StderrLines } from "./stderr-lines.js";

const DEFAULT_GRACE_MS = 2_000;
/** Time to wait for the remaining events of a process that has died: its exit and the ends of its streams. */
const LINGER_MS = 500;

export class ServerProcess {
  readonly #command: ServerCommand;
  readonly #receiver: TransportReceiver;
  readonly #child: ChildProcess;
  readonly #life: ChildProcessLifecycle;
  readonly #channel: LineChannel;
  #stderrTail: readonly string[] = [];
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #cause: Error | undefined;
  #closing: Promise<void> | undefined;
  #isAnnounced = false;

  /** @throws {SdkError} `spawn-failed` */
  static async start(command: ServerCommand, receiver: TransportReceiver): Promise<ServerProcess> {
    try {
      const child = await spawnServer(command);
      const life = new ChildProcessLifecycle(child);
      await life.started;
      return new ServerProcess(command, receiver, child, life);
    } catch (cause) {
      throw spawnFailure(command, cause);
    }
  }

  private constructor(
    command: ServerCommand,
    receiver: TransportReceiver,
    child: ChildProcess,
    life: ChildProcessLifecycle,
  ) {
    this.#command = command;
    this.#receiver = receiver;
    this.#child = child;
    this.#life = life;
    // The streams are not null: `spawnServer` has requested pipes.
    if (typeof command.stderr === "function") this.#readStderr(child.stderr as Readable, command.stderr);
    const limits = lineLimits(command);
    const reader = new MessageLineReader("report", limits);
    const [input, output] = [child.stdout as Readable, child.stdin as Writable];
    this.#channel = new LineChannel({ input, output, ...limits });
    this.#channel.start({
      line: (line) => {
        const read = reader.read(line);
        if (read?.ok) receiver.receive(read.message, { messageBytes: read.length });
        else if (read) receiver.receiveUnparsable(read.error, read.answers);
      },
      ended: () => this.#losing(),
      failed: (error) => this.#losing(error),
    });
    void life.ended.then(() => this.#losing());
    child.once("close", () => this.#lost());
  }

  get pid(): number | undefined {
    return this.#life.isOver ? undefined : this.#child.pid;
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    return this.#channel.send(message);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Called at the first sign of a lost process. Waits briefly for its exit code, for the error message. */
  #losing(cause?: Error): void {
    if (this.#closing !== undefined) return;
    this.#cause ??= cause;
    this.#lingering ??= setTimeout(() => this.#lost(), LINGER_MS);
  }

  #lost(): void {
    if (this.#closing !== undefined) return;
    this.#announce(this.#explain());
    void this.close();
  }

  async #shutDown(): Promise<void> {
    clearTimeout(this.#lingering);
    // Keeps reading the program's stdout: a program that blocks in a write does not notice that its input has ended.
    void this.#channel.finish();
    const { exitGraceMs = DEFAULT_GRACE_MS, killGraceMs = DEFAULT_GRACE_MS } = this.#command;
    await this.#life.end({ exitGraceMs, killGraceMs, drainMs: LINGER_MS });
    this.#channel.destroy();
    this.#child.stderr?.destroy();
    this.#announce();
  }

  #announce(error?: Error): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#receiver.closed(error);
  }

  #explain(): SdkError {
    const why = this.#life.isOver || !this.#cause ? "" : ` (${this.#cause.message})`;
    const tail = this.#stderrTail;
    const said = tail.length === 0 ? "" : `. Its last lines on stderr:\n${tail.join("\n")}`;
    const message = `The server's program ${quoted(this.#command)} ${this.#life.outcome}${why}${said}`;
    return new SdkError("connection-closed", message, { cause: this.#cause });
  }

  #readStderr(stream: Readable, onLine: (line: string) => void): void {
    const lines = new StderrLines((line) => {
      this.#stderrTail = lines.tail;
      try {
        onLine(line);
      } catch (cause) {
        this.#receiver.receiveUnparsable(new SdkError("handler-failed", "The callback for stderr failed", { cause }));
      }
    });
    stream.on("data", (chunk: Uint8Array) => lines.write(chunk)).on("end", () => lines.end());
    stream.on("error", ignoreError);
  }
}

async function spawnServer(server: ServerCommand): Promise<ChildProcess> {
  const { command, args = [], cwd, env, stderr = "inherit" } = server;
  // Loaded here: programs that only serve start faster without it.
  const { default: spawn } = await import("cross-spawn");
  return spawn(command, [...args], {
    ...(cwd !== undefined && { cwd }),
    env: childEnvironment(env),
    stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
    windowsHide: true,
  });
}

function spawnFailure(command: ServerCommand, cause: unknown): SdkError {
  // Node throws or emits only its own errors here.
  const { code } = cause as NodeJS.ErrnoException;
  const advice = code === "ENOENT" && isCommandLine(command) ? WITHOUT_SHELL : (ADVICE[String(code)] ?? cause);
  const message = `The server's program ${quoted(command)} could not be started: ${advice}`;
  return new SdkError("spawn-failed", message, { cause });
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program in PATH, or no such working directory. Check `command`, `env.PATH` and `cwd`",
  EACCES: "the file may not be run. Check that it is executable, and `cwd` accessible",
};

const WITHOUT_SHELL =
  "there is no program of that name. No shell takes it apart: put the program into `command` and what follows into `args`, " +
  'as in { command: "node", args: ["server.js"] }';

/** Checked only if no program has that name, since paths may contain spaces. */
function isCommandLine({ command, args = [] }: ServerCommand): boolean {
  return args.length === 0 && /\S\s+\S/.test(command);
}

function quoted({ command }: ServerCommand): string {
  return JSON.stringify(command);
}
