/** `HttpResponse` over `node:http`: one body or an event stream. `ConnectionOutputs` counts its queued bytes. */
import type { ServerResponse } from "node:http";
import { type BackpressureStream, BackpressureWriter } from "../../transport/node/backpressure-writer.js";
import { PIECE_LENGTH } from "../../wire/text-pieces.js";
import type { EventSink, HttpBody, HttpHeaders, HttpResponse } from "../http/http-host.js";
import { EVENT_STREAM_HEADERS, JSON_HEADERS } from "../http/media-types.js";
import { onClosed } from "./closed-response.js";
import type { ConnectionOutputs } from "./connection-output.js";
import { endLingering } from "./lingering-close.js";

/** Statuses of responses without a body. With 304, the length would be that of the body that the client has cached. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);
/** The headers of almost all answers. */
const JSON_FIELDS: readonly string[] = flatten(JSON_HEADERS);
/** Longest body that is written in one piece to a client that took as much at once. */
const MAX_AT_ONCE_BYTES = 16 * PIECE_LENGTH;
/** Queued bytes up to which a handler that awaits its notifications continues. */
const DRAINED_BYTES = PIECE_LENGTH;

export class NodeResponse implements HttpResponse {
  readonly #response: ServerResponse;
  readonly #outputs: ConnectionOutputs;

  constructor(response: ServerResponse, outputs: ConnectionOutputs) {
    this.#response = response;
    this.#outputs = outputs;
  }

  send(status: number, headers: HttpHeaders, body: HttpBody | Uint8Array = ""): void {
    const response = this.#response;
    if (response.headersSent) return;
    const fields = headers === JSON_HEADERS ? [...JSON_FIELDS] : flatten(headers);
    const size = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    if (!WITHOUT_BODY.has(status)) fields.push("content-length", String(size));
    response.writeHead(status, fields);
    this.#outputs.begun(response);
    const isLast = headers.connection === "close";
    if (response.socket !== null) {
      this.#sendBody(body, size, isLast);
      return;
    }
    // Not written before the response gets the socket: Node stops reading a connection with queued responses, and would not
    // notice that the client has disconnected.
    this.#outputs.hold(response, size);
    response.once("socket", () => this.#sendBody(body, size, isLast));
  }

  #sendBody(body: HttpBody | Uint8Array, size: number, isLast: boolean): void {
    const response = this.#response;
    if (isLast && !response.req.complete) endLingering(response, body instanceof Uint8Array ? body : String(body));
    else if (body === "") response.end();
    else {
      const isLong = size > PIECE_LENGTH;
      if (isLong && size > this.#outputs.takenAtOnce(response)) this.#sendPaced(body);
      else this.#sendAtOnce(body, size);
      if (isLong) this.#noteTaken(size);
    }
  }

  #sendAtOnce(body: HttpBody | Uint8Array, size: number): void {
    const response = this.#response;
    endAtOnce(response, body);
    // Above zero if the client reads slowly, or if an earlier response is still being sent.
    if (response.writableLength > 0) this.#outputs.hold(response, size);
  }

  /** One write of a long body takes less time than several, but its progress is not seen until the client has taken it whole. */
  #noteTaken(size: number): void {
    const isTaken = this.#response.writableLength === 0;
    this.#outputs.setTakenAtOnce(this.#response, isTaken ? Math.min(size, MAX_AT_ONCE_BYTES) : 0);
  }

  stream(headers: HttpHeaders): EventSink {
    this.#response.writeHead(200, { ...EVENT_STREAM_HEADERS, ...headers });
    this.#response.flushHeaders();
    this.#outputs.begun(this.#response);
    return new NodeEventSink(this.#response, this.#outputs);
  }

  #sendPaced(body: HttpBody | Uint8Array): void {
    const writer = pacedWriter(this.#response, this.#outputs);
    if (typeof body === "string" || body instanceof Uint8Array) writer.write(body);
    else for (const piece of body.pieces) writer.write(piece);
    writer.end();
  }
}

/**
 * Writes, uncorks and ends in three steps. Measured: `response.end(body)` passes the socket the body and an empty chunk, and
 * joining them takes a tenth of the time of a call.
 */
function endAtOnce(response: ServerResponse, body: HttpBody | Uint8Array): void {
  if (typeof body === "string" || body instanceof Uint8Array) response.write(body);
  else for (const piece of body.pieces) response.write(piece);
  response.socket?.uncork();
  response.end();
}

/** Alternating names and values. Node writes such an array several times faster than an object. */
function flatten(headers: HttpHeaders): string[] {
  const fields: string[] = [];
  for (const name of Object.keys(headers)) fields.push(name, String(headers[name]));
  return fields;
}

class NodeEventSink implements EventSink {
  readonly #response: ServerResponse;
  readonly #maxQueuedBytes: number;
  readonly #writer: BackpressureWriter;
  #drained: Promise<void> | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse, outputs: ConnectionOutputs) {
    this.#response = response;
    this.#maxQueuedBytes = outputs.limits.maxQueuedBytes;
    this.#writer = pacedWriter(response, outputs);
  }

  write(text: string): boolean {
    const response = this.#response;
    if (response.destroyed || this.#hasEnded) return false;
    if (this.#writer.queuedBytes > this.#maxQueuedBytes) {
      response.destroy();
      return false;
    }
    this.#writer.write(text);
    return true;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#writer.end();
  }

  drained(): Promise<void> | undefined {
    const { destroyed, req } = this.#response;
    if (destroyed || (this.#writer.queuedBytes <= DRAINED_BYTES && !req.socket.destroyed)) return undefined;
    this.#drained ??= this.#untilDrained();
    return this.#drained;
  }

  #untilDrained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      const done = () => {
        stop();
        this.#drained = undefined;
        resolve();
      };
      const stop = onClosed(response, done);
      // A destroyed socket has no queued bytes, but emits `close` only later; `onClosed` waits for that.
      if (!response.req.socket.destroyed) this.#writer.whenQueued(DRAINED_BYTES, done);
    });
  }
}

function pacedWriter(response: ServerResponse, outputs: ConnectionOutputs): BackpressureWriter {
  return new BackpressureWriter(new PacedBody(response, outputs), (bytes) => outputs.set(response, bytes));
}

/** The body of a response, as a `BackpressureWriter` sees it. */
class PacedBody implements BackpressureStream {
  readonly #response: ServerResponse;
  readonly #outputs: ConnectionOutputs;

  constructor(response: ServerResponse, outputs: ConnectionOutputs) {
    this.#response = response;
    this.#outputs = outputs;
  }

  get writableLength(): number {
    return this.#response.writableLength;
  }

  write(piece: string | Uint8Array, onWritten: (error?: Error | null) => void): void {
    this.#response.write(piece, onWritten);
    // A full piece is sent immediately. Shorter texts are sent together at the end of the turn.
    if (piece.length >= PIECE_LENGTH) this.#response.socket?.uncork();
  }

  end(): void {
    this.#response.end();
    if (this.writableLength > 0) this.#outputs.hold(this.#response, this.writableLength);
  }
}
