/** The transport to a server that runs as a child process, over its stdin and stdout. */
import { checkNumber } from "../../errors/option-checks.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import type { ServerCommand } from "../server-command.js";
import type { Transport, TransportReceiver } from "../transport.js";
import { lineLimits } from "./line-channel.js";
import { ServerProcess } from "./server-process.js";

/**
 * Starts a program and connects to it. `close` ends its input, waits, sends SIGTERM, waits, and sends SIGKILL. Only the
 * program itself is ended, not processes that it has started.
 *
 * @example
 * const transport = new ChildProcessTransport({ command: "my-server", args: ["--quiet"] });
 * const client = await Client.connect(transport, { name: "cli", version: "1.0.0" });
 */
export class ChildProcessTransport implements Transport {
  readonly #command: ServerCommand;
  #starting: Promise<ServerProcess> | undefined;
  #server: ServerProcess | undefined;
  #isClosed = false;

  /** @throws {SdkError} `invalid-argument` for an invalid command, list of arguments, limit or duration. */
  constructor(command: ServerCommand) {
    checkCommand(command);
    lineLimits(command);
    const { exitGraceMs = 0, killGraceMs = 0 } = command;
    checkNumber("exitGraceMs", exitGraceMs, 0);
    checkNumber("killGraceMs", killGraceMs, 0);
    this.#command = command;
  }

  /** The process id while the program runs. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** @throws {SdkError} `spawn-failed` if the program does not exist, or may not be run. */
  async start(receiver: TransportReceiver): Promise<void> {
    if (this.#isClosed) throw new SdkError("connection-closed", "This transport was closed before it was started");
    if (this.#starting) throw new SdkError("invalid-argument", "This transport was started before; make a new one");
    this.#starting = ServerProcess.start(this.#command, receiver);
    this.#server = await this.#starting;
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    if (this.#server) return this.#server.send(message);
    return Promise.reject(new SdkError("connection-closed", "The server's program has not been started"));
  }

  /** Ends the program. Resolves when it has exited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // If the program did not start, `start` has rejected, and there is nothing to end.
    const server = await this.#starting?.catch(() => undefined);
    await server?.close();
  }
}

function checkCommand({ command, args = [] }: ServerCommand): void {
  if (typeof command !== "string" || command === "") {
    throw new SdkError("invalid-argument", `command: expected the name of a program, got ${JSON.stringify(command)}`);
  }
  if (Array.isArray(args) && args.every((arg) => typeof arg === "string")) return;
  const complaint = `args: expected a list of strings such as ["server.mjs"], got ${JSON.stringify(args)}`;
  throw new SdkError("invalid-argument", complaint);
}
