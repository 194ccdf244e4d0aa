/**
 * Counts the response bytes of each connection that its client has not read. While they are over `maxQueuedBytes`, pipelined
 * requests of the connection wait to be served.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { payerOf, type SlowReader, type SlowReaderLimits, SlowReaders } from "./slow-readers.js";

export interface OutputLimits extends SlowReaderLimits {
  readonly maxQueuedBytes: number;
}

/** Memory of a waiting response besides its body: the objects of its request and response. */
const RESPONSE_BYTES = 4_096;
/** Waiting requests of one connection. A client that pipelines more is disconnected. */
const MAX_WAITING = 64;

/** A request whose body was read. Either `serve` or `drop` is called, once. */
export interface PipelinedRequest {
  serve(): void;
  /** The connection has closed. */
  drop(): void;
}

/** The connections of one endpoint that have queued bytes. */
export class ConnectionOutputs {
  readonly limits: OutputLimits;
  readonly #readers: SlowReaders;
  readonly #outputs = new WeakMap<Socket, ConnectionOutput>();

  constructor(limits: OutputLimits) {
    this.limits = limits;
    this.#readers = new SlowReaders(limits);
  }

  /** Sets the number of queued bytes of a response. */
  set(response: ServerResponse, bytes: number): void {
    this.#of(response.req.socket).set(response, bytes);
  }

  /** Counts all bytes of a response until Node has sent it. */
  hold(response: ServerResponse, bytes: number): void {
    this.set(response, bytes + RESPONSE_BYTES);
    response.once("finish", () => this.set(response, 0));
  }

  /** Serves a pipelined request once the client has read the earlier responses down to `maxQueuedBytes`. */
  serveWhenRead({ req: { socket } }: ServerResponse, request: PipelinedRequest): void {
    const output = this.#outputs.get(socket);
    if (output === undefined) request.serve();
    else output.serveWhenRead(request);
  }

  #of(socket: Socket): ConnectionOutput {
    const known = this.#outputs.get(socket);
    if (known) return known;
    const output = new ConnectionOutput(socket, this.#readers, this.limits.maxQueuedBytes);
    this.#outputs.set(socket, output);
    return output;
  }
}

class ConnectionOutput implements SlowReader {
  readonly #socket: Socket;
  readonly #readers: SlowReaders;
  readonly #maxQueuedBytes: number;
  readonly #responses = new Map<ServerResponse, number>();
  #queuedBytes = 0;
  #waiting: PipelinedRequest[] = [];
  #isServing = false;

  constructor(socket: Socket, readers: SlowReaders, maxQueuedBytes: number) {
    this.#socket = socket;
    this.#readers = readers;
    this.#maxQueuedBytes = maxQueuedBytes;
    socket.once("close", () => {
      for (const request of this.#waiting.splice(0)) request.drop();
      this.#readers.set(this, 0, false);
    });
  }

  get payer(): string {
    return payerOf(this.#socket);
  }

  disconnect(): void {
    this.#socket.destroy();
  }

  set(response: ServerResponse, bytes: number): void {
    if (this.#socket.destroyed) return;
    const before = this.#responses.get(response);
    // The client cannot read a response behind another one. Its stall timeout starts when the response gets the socket.
    if (before === undefined && response.socket === null) {
      response.once("socket", () => process.nextTick(() => this.#report()));
    }
    this.#queuedBytes += bytes - (before ?? 0);
    if (bytes === 0) this.#responses.delete(response);
    else this.#responses.set(response, bytes);
    this.#report();
    this.#serveNext();
  }

  #report(): void {
    if (!this.#socket.destroyed) this.#readers.set(this, this.#queuedBytes, this.#socket.writableLength > 0);
  }

  serveWhenRead(request: PipelinedRequest): void {
    this.#waiting.push(request);
    this.#serveNext();
    if (this.#waiting.length > MAX_WAITING) this.disconnect();
  }

  #serveNext(): void {
    // Re-entered when `request.serve()` sends its response synchronously.
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#queuedBytes <= this.#maxQueuedBytes) {
      const request = this.#waiting.shift();
      if (request === undefined) break;
      request.serve();
    }
    this.#isServing = false;
  }
}
