/** The standard streams of the scripted client. It speaks to the checker as `bin/stdio-relay.js` does, without a program. */
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { StreamEvent } from "../../wire/event-stream.js";
import { isObject, isRequest, isResponse, type JsonObject, parseJson } from "../../wire/json-rpc.js";
import type { ClientFault, OutgoingCall } from "./client-fault.fixture.js";
import { type Incoming, Sender } from "./sender.fixture.js";

/** One run of the server, and the lines that nobody has read yet. */
class Run {
  readonly #socket: Socket;
  readonly #patienceMs: number;
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;
  isGone = false;

  constructor(port: number, patienceMs: number, ignoresStderr: boolean) {
    this.#patienceMs = patienceMs;
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("error", () => undefined);
    createInterface({ input: this.#socket }).on("line", (frame) => {
      const { write, log, exit } = parseJson(frame) as JsonObject;
      if (typeof write === "string") this.#lines.push(...write.replace(/\n$/, "").split("\n"));
      if (exit !== undefined || (log !== undefined && !ignoresStderr)) this.leave();
      if (log === undefined || this.isGone) this.#wake();
    });
  }

  report(frame: JsonObject): void {
    if (!this.isGone) this.#socket.write(`${JSON.stringify(frame)}\n`);
  }

  /** The next line, or `undefined` if there is none for a while. */
  async next(): Promise<string | undefined> {
    if (this.#lines.length === 0 && !this.isGone) await this.#change();
    return this.#lines.shift();
  }

  /** Whether the server has exited, now or soon. */
  async exited(): Promise<boolean> {
    while (!this.isGone && (await this.#change()));
    return this.isGone;
  }

  leave(): void {
    this.isGone = true;
    this.#socket.end();
  }

  /** Whether something arrives in time. */
  #change(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#patienceMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

export class PipeSender extends Sender {
  readonly #port: number;
  readonly #patienceMs: number;
  #run: Run | undefined;

  /** `patienceMs` is how long the client waits for a line, and for the exit of its server. */
  constructor(port: number, fault: ClientFault, patienceMs: number) {
    super(fault);
    this.#port = port;
    this.#patienceMs = patienceMs;
  }

  override async close(): Promise<void> {
    const run = this.#run;
    if (!run || run.isGone) return;
    run.report(this.does("ends-input") ? { end: true } : { signal: "SIGTERM" });
    if (await run.exited()) return;
    if (this.does("kills-stubborn")) run.report({ signal: "SIGTERM" });
    await run.exited();
  }

  protected override async transmit({ verb, message }: OutgoingCall): Promise<Incoming> {
    if (verb !== "POST") return incomingOf(405, () => []);
    if (this.#run?.isGone && !this.does("restarts")) throw new Error("The server is gone");
    if (this.#run === undefined || this.#run.isGone)
      this.#run = new Run(this.#port, this.#patienceMs, this.does("ignores-stderr"));
    const run = this.#run;
    const isCut = isObject(message) && message.method === "tools/call" && !this.does("ends-lines");
    const text = typeof message === "string" ? message : JSON.stringify(message);
    run.report({ read: isCut ? text : `${text}\n` });
    const isAnswered = isRequest(message) && !isCut;
    return isAnswered ? incomingOf(200, () => this.#until(run, message.id)) : incomingOf(202, () => []);
  }

  /** The messages up to the answer with an id. */
  async *#until(run: Run, id: unknown): AsyncIterable<StreamEvent> {
    for (let line = await run.next(); line !== undefined; line = await run.next()) {
      if (this.fault.stumbles?.test(line)) throw new Error("The client cannot read this");
      const value = parseJson(line);
      // Answers to the further requests of a fault.
      if (isResponse(value) && value.id !== id) continue;
      yield { event: "message", data: line, id: undefined, retry: undefined };
      if (isResponse(value)) return;
    }
  }
}

function incomingOf(status: number, events: () => AsyncIterable<StreamEvent> | StreamEvent[]): Incoming {
  return {
    status,
    headers: new Headers(),
    isStream: status === 200,
    events: async function* () {
      yield* events();
    },
    text: async () => "",
    close: () => undefined,
  };
}
