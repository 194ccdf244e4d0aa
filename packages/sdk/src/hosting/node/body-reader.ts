/** Reads the body of a `node:http` request within limits of size and time, and hands its text on at the end of the tick. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SdkError } from "../../errors/sdk-error.js";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { type ArrivingBodies, invalidUtf8, tooManyWaiting } from "../http/request-message.js";
import type { ConnectionOutputs } from "./connection-output.js";
import { serveAtEndOfTick, type WaitingRequest } from "./end-of-tick-queue.js";

/** Bodies up to this size do not count toward byte limits: counting would cost more than they take. */
const UNCOUNTED_BYTES = 4_096;

const NO_BYTES = Buffer.alloc(0);

export interface BodyReaderOptions {
  readonly maxBytes: number;
  readonly principal: string | undefined;
  readonly encoding: "utf8" | "latin1";
  onText(text: string, bytes: number): void;
  /** Called instead of `onText`, or after it has thrown. */
  onFailure(error: unknown): void;
}

export class BodyReader implements WaitingRequest {
  readonly sender: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #outputs: ConnectionOutputs;
  readonly #options: BodyReaderOptions;
  /** What the header `Content-Length` says. NaN for a chunked body. */
  #length = Number.NaN;
  #text = "";
  #bytes = 0;
  /** Bytes that count toward the limits of `#bodies`. */
  #counted = 0;
  #isPipelined = false;

  constructor(
    response: ServerResponse,
    bodies: ArrivingBodies,
    outputs: ConnectionOutputs,
    options: BodyReaderOptions,
  ) {
    this.#request = response.req;
    this.#response = response;
    this.#bodies = bodies;
    this.#outputs = outputs;
    this.#options = options;
    this.sender = options.principal ?? response.req.socket;
  }

  start(): void {
    const request = this.#request;
    const { maxBytes, onFailure } = this.#options;
    this.#length = Number(request.headers["content-length"]);
    if (this.#length > maxBytes) onFailure(HttpRefusal.tooLarge(maxBytes));
    else if (request.readableEnded) onFailure(alreadyRead());
    else if (request.destroyed) onFailure(brokenOff());
    // By the next tick, a body that arrived with its head has been parsed. It is read at once, without events.
    else process.nextTick(readArrived, this);
  }

  readArrived(): void {
    const request = this.#request;
    if (request.readableLength === this.#length) this.#readWhole(request.read() ?? NO_BYTES);
    else this.#readLate();
  }

  serve(): void {
    if (!this.#isPipelined) this.#serveText();
    else this.#outputs.serveWhenRead(this.#response, { serve: () => this.#serveText(), drop: () => this.#release() });
  }

  /** Takes a body that arrived with its head. `start` has compared its length with the limit. */
  #readWhole(body: Buffer): void {
    // The bytes of a waiting request count like arriving bytes.
    const refusal = this.#count(body.length);
    if (refusal) this.#fail(refusal);
    else this.#end(body);
  }

  /** Reads a body that arrives after its head. */
  #readLate(): void {
    const request = this.#request;
    const bodies = this.#bodies;
    const { maxBytes } = this.#options;
    const body = new ByteBuffer();
    const stop = () => {
      bodies.end(fail);
      request.off("data", onData).off("end", onEnd).off("close", onLost);
    };
    const fail = (error: HttpRefusal) => {
      stop();
      this.#fail(error);
    };
    const onData = (chunk: Buffer) => {
      body.append(chunk);
      const refusal = body.length > maxBytes ? HttpRefusal.tooLarge(maxBytes) : this.#count(body.length);
      if (refusal) fail(refusal);
    };
    const onEnd = () => {
      stop();
      const bytes = body.take();
      this.#end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    };
    // A request that breaks off emits `close`, so `error` needs no listener.
    const onLost = () => fail(brokenOff());
    bodies.begin(fail);
    request.on("data", onData).on("end", onEnd).on("close", onLost);
  }

  /** Queues the request. Its bytes have been counted. */
  #end(buffer: Buffer): void {
    this.#bytes = buffer.length;
    this.#text = buffer.toString(this.#options.encoding);
    // Invalid bytes decode to U+FFFD; run `isUtf8` only if one is present.
    if (this.#text.includes("\uFFFD") && !isUtf8(buffer)) this.#fail(invalidUtf8());
    else if (!serveAtEndOfTick(this)) this.#fail(tooManyWaiting());
    else if (isPipelined(this.#response)) {
      this.#isPipelined = true;
      this.#outputs.arrived(this.#response);
    }
  }

  /** Counts the bytes of a body of this length. Returns a refusal if they exceed a limit. */
  #count(length: number): HttpRefusal | undefined {
    if (length <= UNCOUNTED_BYTES) return undefined;
    const refusal = this.#bodies.grow(this.#options.principal, length - this.#counted);
    if (refusal === undefined) this.#counted = length;
    return refusal;
  }

  #fail(error: HttpRefusal): void {
    this.#request.pause();
    this.#release();
    this.#options.onFailure(error);
  }

  /** A body counts until its request is served, or its connection closes. */
  #release(): void {
    this.#bodies.shrink(this.#options.principal, this.#counted);
    this.#counted = 0;
  }

  /** Never throws, so that other requests of the turn and of the connection are still served. */
  #serveText(): void {
    // Has the stream end, if its body was read without events.
    this.#request.read();
    this.#release();
    try {
      this.#options.onText(this.#text, this.#bytes);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Destroys the connection if the refusal fails too. */
  #refuse(error: unknown): void {
    try {
      this.#options.onFailure(error);
    } catch {
      this.#response.destroy();
    }
  }
}

/** One function for all readers, since a closure per request costs more. */
function readArrived(reader: BodyReader): void {
  reader.readArrived();
}

/** Node assigns the socket to a response once the earlier responses are sent. */
export function isPipelined(response: ServerResponse): boolean {
  return response.socket === null;
}

/** The refusal of a request whose client has disconnected. It has no body, since nobody reads it. */
function brokenOff(): HttpRefusal {
  return new HttpRefusal(400);
}

function alreadyRead(): SdkError {
  const message = "The body was read before the handler ran: pass what became of it as the handler's third argument";
  return new SdkError("invalid-argument", message);
}
