/**
 * Counts the response bytes of each connection that its client has not read. While they are over `maxQueuedBytes`, pipelined
 * requests of the connection wait to be served. While many requests wait, the connection is not read: for their turn, for the
 * authentication of their caller, or for a route.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ownerOf, type SlowReader, type SlowReaderLimits, SlowReaders } from "./slow-readers.js";

export interface OutputLimits extends SlowReaderLimits {
  readonly maxQueuedBytes: number;
}

/** Memory of a waiting request or response besides its body: the objects of both. */
const RESPONSE_BYTES = 4_096;
/** Requests of one connection that may wait. With more, the connection is not read. The rest of a chunk still arrives. */
const MAX_WAITING = 64;
/** Memory of a request that is not served yet: the largest head that Node accepts, and the objects. */
const HEAD_BYTES = 20_480;
/** A connection is read again when no more requests than this wait. */
const FEW_WAITING = 32;

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

  /** Size of the last long body of the connection, if its socket took the body at once. Else 0. */
  takenAtOnce(response: ServerResponse): number {
    return this.#outputs.get(response.req.socket)?.takenAtOnce ?? 0;
  }

  setTakenAtOnce(response: ServerResponse, bytes: number): void {
    this.#of(response.req.socket).takenAtOnce = bytes;
  }

  /** Counts a pipelined request from its head until its body was read, or its response has begun. */
  opened(response: ServerResponse): void {
    this.#of(response.req.socket).opened(response);
  }

  /** The response of a request has begun. */
  begun(response: ServerResponse): void {
    this.#outputs.get(response.req.socket)?.begun(response);
  }

  /** Counts a pipelined request whose body was read. `serveWhenRead` must follow. */
  arrived(response: ServerResponse): void {
    this.#of(response.req.socket).arrived(response);
  }

  /**
   * Serves a pipelined request once the client has read the earlier responses down to `maxQueuedBytes`, or has received all of
   * them.
   */
  serveWhenRead(response: ServerResponse, request: PipelinedRequest): void {
    this.#of(response.req.socket).serveWhenRead(response, request);
  }

  #of(socket: Socket): ConnectionOutput {
    const known = this.#outputs.get(socket);
    if (known) return known;
    const output = new ConnectionOutput(socket, this.#readers, this.limits.maxQueuedBytes);
    this.#outputs.set(socket, output);
    return output;
  }
}

/**
 * The requests and responses of one connection. A pipelined request passes these states; other requests only the last one:
 *
 * | state | held in | from | until |
 * |---|---|---|---|
 * | unserved | `#unserved` | `opened`: its head arrived | its body was read, or its response has begun |
 * | arrived | `#arrived` | `arrived`: its body was read | the end of the turn of the event loop |
 * | waiting | `#waiting` | `serveWhenRead` | `#queuedBytes` are within the limit, or its response has the socket |
 * | queued | `#responses` | `set` with bytes | `set` with 0: Node has sent the response |
 *
 * The connection is paused while too many requests are in one of the states (`#pauseOrResume`).
 */
class ConnectionOutput implements SlowReader {
  takenAtOnce = 0;
  readonly #socket: Socket;
  readonly #readers: SlowReaders;
  readonly #maxQueuedBytes: number;
  readonly #responses = new Map<ServerResponse, number>();
  #queuedBytes = 0;
  /** Requests whose body was not read and whose response has not begun. */
  readonly #unserved = new Set<ServerResponse>();
  readonly #waiting = new Map<ServerResponse, PipelinedRequest>();
  /** Requests that were read in this turn of the event loop. They are served at its end. */
  #arrived = 0;
  #isServing = false;
  #isPaused = false;

  constructor(socket: Socket, readers: SlowReaders, maxQueuedBytes: number) {
    this.#socket = socket;
    this.#readers = readers;
    this.#maxQueuedBytes = maxQueuedBytes;
    socket.once("close", () => {
      for (const request of this.#waiting.values()) request.drop();
      this.#waiting.clear();
      this.#unserved.clear();
      this.#readers.set(this, 0, false);
    });
    // Node resumes the socket for every body that it reads.
    socket.on("resume", () => {
      if (this.#isPaused) socket.pause();
    });
  }

  get owner(): string {
    return ownerOf(this.#socket);
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
    this.#update();
  }

  opened(response: ServerResponse): void {
    this.#unserved.add(response);
    response.once("close", () => this.begun(response));
    this.#pauseOrResume();
    this.#report();
  }

  begun(response: ServerResponse): void {
    if (!this.#unserved.delete(response)) return;
    this.#pauseOrResume();
    this.#report();
  }

  arrived(response: ServerResponse): void {
    this.#unserved.delete(response);
    this.#arrived += 1;
    this.#pauseOrResume();
  }

  serveWhenRead(response: ServerResponse, request: PipelinedRequest): void {
    this.#arrived -= 1;
    // The socket may have emitted `close` already.
    if (this.#socket.destroyed) {
      request.drop();
      return;
    }
    this.#waiting.set(response, request);
    // Queued responses that come after this one must not keep it waiting: they are sent after it.
    if (response.socket === null) response.once("socket", () => this.#serve(response));
    else this.#serve(response);
    this.#update();
  }

  #update(): void {
    this.#serveNext();
    this.#pauseOrResume();
    this.#report();
  }

  /** The leaving of a client is not noticed while its connection is paused, so the stall timeout runs then too. */
  #report(): void {
    if (this.#socket.destroyed) return;
    const bytes = this.#queuedBytes + this.#waiting.size * RESPONSE_BYTES + this.#unserved.size * HEAD_BYTES;
    this.#readers.set(this, bytes, this.#isPaused || this.#socket.writableLength > 0);
  }

  #pauseOrResume(): void {
    const max = this.#isPaused ? FEW_WAITING : MAX_WAITING;
    const isFull = this.#queuedBytes > this.#maxQueuedBytes && this.#waiting.size + this.#responses.size > max;
    const isPaused = isFull || this.#arrived > max || this.#unserved.size > max;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  #serveNext(): void {
    // Re-entered when a request sends its response synchronously.
    if (this.#isServing) return;
    this.#isServing = true;
    for (const response of this.#waiting.keys()) {
      if (this.#queuedBytes > this.#maxQueuedBytes) break;
      this.#serve(response);
    }
    this.#isServing = false;
  }

  #serve(response: ServerResponse): void {
    const request = this.#waiting.get(response);
    this.#waiting.delete(response);
    request?.serve();
  }
}
