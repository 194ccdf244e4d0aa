/** A response that `node:http` sends, as one body or as an event stream with a bounded queue. */
import type { ServerResponse } from "node:http";
import { timerMs } from "../../transport/timer-limit.js";
import type { Body, EventSink, Headers, HttpResponse } from "../http/http-exchange.js";
import type { StreamLimits } from "../http/http-options.js";
import { EVENT_STREAM_HEADERS } from "../http/media-types.js";
import { onClosed } from "./closed-response.js";
import { endLingering } from "./lingering-close.js";

const NO_CONTENT = 204;

export class NodeResponse implements HttpResponse {
  readonly #response: ServerResponse;
  readonly #limits: StreamLimits;

  constructor(response: ServerResponse, limits: StreamLimits) {
    this.#response = response;
    this.#limits = limits;
  }

  send(status: number, headers: Headers, body: Body = ""): void {
    const response = this.#response;
    if (response.headersSent) return;
    const fields = flatten(headers);
    if (status !== NO_CONTENT) {
      fields.push("content-length", String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength));
    }
    response.writeHead(status, fields);
    if (headers.connection === "close" && !response.req.complete) endLingering(response, String(body));
    else if (body === "") response.end();
    else if (typeof body === "string") endAtOnce(response, body);
    else endInPieces(response, body.pieces);
  }

  stream(headers: Headers): EventSink {
    this.#response.writeHead(200, { ...EVENT_STREAM_HEADERS, ...headers });
    this.#response.flushHeaders();
    return new NodeEventSink(this.#response, this.#limits);
  }
}

/**
 * Measured: ending a response with a body hands the socket two pieces, body and nothing, which takes it a tenth of the
 * time of a call to put together. Written first and let go, it is one piece.
 */
function endAtOnce(response: ServerResponse, body: string): void {
  response.write(body);
  response.socket?.uncork();
  response.end();
}

function endInPieces(response: ServerResponse, pieces: readonly string[]): void {
  response.cork();
  for (const piece of pieces) response.write(piece);
  // It uncorks as well.
  response.end();
}

/** Names and values in turn, which Node writes out in a fraction of the time that an object takes it. */
function flatten(headers: Headers): string[] {
  const fields: string[] = [];
  for (const name of Object.keys(headers)) fields.push(name, String(headers[name]));
  return fields;
}

class NodeEventSink implements EventSink {
  readonly #response: ServerResponse;
  readonly #limits: StreamLimits;
  #drained: Promise<void> | undefined;

  constructor(response: ServerResponse, limits: StreamLimits) {
    this.#response = response;
    this.#limits = limits;
  }

  write(text: string): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return false;
    if (response.writableLength > this.#limits.maxQueuedBytes) {
      response.destroy();
      return false;
    }
    response.write(text);
    return true;
  }

  end(): void {
    this.#response.end();
  }

  drained(): Promise<void> | undefined {
    if (!this.#response.writableNeedDrain) return undefined;
    this.#drained ??= this.#untilDrained();
    return this.#drained;
  }

  #untilDrained(): Promise<void> {
    const response = this.#response;
    const { timeout } = response.req.socket;
    const giveUp = () => response.destroy();
    // The socket's own timer counts only while none of what waits is being sent.
    response.on("timeout", giveUp).setTimeout(Math.max(1, timerMs(this.#limits.stallTimeoutMs)));
    return new Promise((resolve) => {
      const done = () => {
        stop();
        response
          .off("drain", done)
          .off("timeout", giveUp)
          .setTimeout(timeout ?? 0);
        this.#drained = undefined;
        resolve();
      };
      response.on("drain", done);
      const stop = onClosed(response, done);
    });
  }
}
