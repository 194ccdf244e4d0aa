/** Raw lines to and from a peer on byte streams, and programs of the tests' own in processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "parley-mcp/types";
import { withDeadline } from "../deadline.js";
import { type ConnectionLog, openLog, type Side } from "../wire-log.js";

const DEADLINE_MS = 5_000;

export class RawLines {
  readonly #output: Writable;
  readonly #lines: AsyncIterator<string>;
  readonly #ours: Side;
  readonly #log: ConnectionLog;

  readonly #deadlineMs: number;

  /** `ours` is the side whose lines are received. */
  constructor(
    streams: { readonly input: Readable; readonly output: Writable },
    { ours = "server", deadlineMs = DEADLINE_MS }: { readonly ours?: Side; readonly deadlineMs?: number } = {},
  ) {
    this.#deadlineMs = deadlineMs;
    this.#output = streams.output;
    this.#ours = ours;
    // Over a pipe, what comes before a handshake and without an envelope is legacy.
    this.#log = openLog(ours, "2025-11-25");
    this.#lines = createInterface({ input: streams.input })[Symbol.asyncIterator]();
  }

  /** A message as one line; text and bytes as they are. */
  send(message: JsonObject | string | Uint8Array): void {
    const isRaw = typeof message === "string" || message instanceof Uint8Array;
    const sent = isRaw ? message : `${JSON.stringify(message)}\n`;
    for (const line of String(sent).split("\n"))
      this.#log.noteText(this.#ours === "client" ? "server" : "client", line);
    this.#output.write(sent);
  }

  async receive(): Promise<JsonObject> {
    const line = await this.next();
    if (line === undefined) throw new Error("The peer has ended its output");
    return JSON.parse(line);
  }

  /** The next line, or undefined at the end. */
  async next(): Promise<string | undefined> {
    const { value, done } = await withDeadline(this.#lines.next(), this.#deadlineMs, "waiting for a line");
    if (done) return undefined;
    this.#log.noteText(this.#ours, value);
    return value;
  }

  /** All that is left until the end. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next()) lines.push(line);
    return lines;
  }

  end(): void {
    this.#output.end();
  }
}

interface Program {
  readonly command: string;
  readonly args: string[];
}

/** The server in `programs/`, for a client to start. */
export function serverProgram(): Program {
  return builtProgram("stdio-server.js", []);
}

/** The client in `programs/`, which starts the program it is given. */
export function clientProgram(command: readonly string[]): Program {
  return builtProgram("stdio-client.js", command);
}

/** The program in `programs/` that is killed while it stores a credential. */
export function credentialProgram(settings: object): Program {
  return builtProgram("credential-writer.js", [JSON.stringify(settings)]);
}

/** The client in `programs/` that shares the credentials of a folder with other processes. */
export function refreshingProgram(settings: object): Program {
  return builtProgram("refreshing-client.js", [JSON.stringify(settings)]);
}

/** @throws {Error} when the package has not been built. */
function builtProgram(name: string, args: readonly string[]): Program {
  const built = new URL("../../../packages/sdk/dist/node/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("programs/ run on the built package: `npm run build` first");
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL(`../../programs/${name}`, import.meta.url)), ...args],
  };
}

/** A program given as text. What it tells with `tell(method)` is a notification. */
export function scriptProgram(script: string): Program {
  const tell = 'const tell = (method) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method }) + "\\n");';
  return { command: process.execPath, args: ["-e", tell + script, "--"] };
}

/** A program that a test speaks to by itself. It is killed at the end of the test, should it still run. */
export class RawProgram implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: RawLines;
  readonly stderr: Promise<string>;
  readonly exited: Promise<unknown[]>;

  /** @param deadlineMs for each line, and for the whole program */
  constructor({ command, args }: Program, deadlineMs: number = DEADLINE_MS) {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    this.lines = new RawLines({ input: child.stdout, output: child.stdin }, { deadlineMs });
    this.stderr = child.stderr
      .setEncoding("utf8")
      .toArray()
      .then((parts) => parts.join(""));
    this.exited = withDeadline(once(child, "exit"), deadlineMs, "the program's exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }
}
