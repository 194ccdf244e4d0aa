/** A request as `node:http` received it. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SdkError } from "../../errors/sdk-error.js";
import type { Headers, HttpRequest } from "../http/http-exchange.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { type ArrivingBodies, invalidUtf8, tooLarge } from "../http/request-message.js";
import { onClosed } from "./closed-response.js";
import type { ConnectionOutputs } from "./connection-output.js";
import { serveAfterReading } from "./serving-turn.js";

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

export class NodeRequest implements HttpRequest {
  readonly parsedBody: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #outputs: ConnectionOutputs;

  constructor(response: ServerResponse, parsedBody: unknown, bodies: ArrivingBodies, outputs: ConnectionOutputs) {
    this.#request = response.req;
    this.#response = response;
    this.parsedBody = parsedBody;
    this.#bodies = bodies;
    this.#outputs = outputs;
  }

  get method(): string {
    return String(this.#request.method);
  }

  /** Unix sockets have no address, and no web page reaches them. */
  get isLocal(): boolean {
    return LOOPBACK.test(this.#request.socket.localAddress ?? "");
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  get path(): string {
    const url = String(this.#request.url);
    const mark = url.indexOf("?");
    return mark < 0 ? url : url.slice(0, mark);
  }

  get query(): string {
    const url = String(this.#request.url);
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headers(): Headers {
    const headers: Record<string, string> = {};
    for (const name of Object.keys(this.#request.headers)) headers[name] = String(this.header(name));
    return headers;
  }

  readBody(maxBytes: number, onText: (text: string) => void, onFailure: (error: unknown) => void): void {
    const request = this.#request;
    const bodies = this.#bodies;
    const chunks: Buffer[] = [];
    let size = 0;
    let isLate = false;
    const fail = (error: HttpRefusal) => {
      bodies.remove(fail);
      request.off("data", onData).off("end", onEnd).off("close", onLost).pause();
      onFailure(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) fail(tooLarge(maxBytes));
    };
    const onEnd = () => {
      if (isLate) {
        bodies.remove(fail);
        request.off("close", onLost);
      }
      const [first] = chunks;
      const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks, size);
      const text = bytes.toString();
      // What is malformed is read as this character; whether it was meant is seldom to be asked.
      if (text.includes("\uFFFD") && !isUtf8(bytes)) onFailure(invalidUtf8());
      else serveAfterReading(isPipelined(this.#response) ? this.#whenRead(onText) : onText, text);
    };
    // Whatever breaks a request off closes it; nobody has to hear of the error as well.
    const onLost = () => fail(brokenOff());
    if (Number(request.headers["content-length"]) > maxBytes) onFailure(tooLarge(maxBytes));
    else if (request.readableEnded) onFailure(alreadyRead());
    else if (request.destroyed) onFailure(brokenOff());
    else {
      // What came in one piece with the head has been read by then; the rest may take its time, or never come.
      process.nextTick(() => {
        if (request.complete) return;
        isLate = true;
        bodies.add(fail);
        request.on("close", onLost);
      });
      request.on("data", onData).on("end", onEnd);
    }
  }

  #whenRead(onText: (text: string) => void): (text: string) => void {
    return (text) => this.#outputs.serveWhenRead(this.#response, () => onText(text));
  }

  onDisconnect(listener: () => void): void {
    const response = this.#response;
    if (this.isGone) {
      listener();
      return;
    }
    onClosed(response, () => {
      if (!response.writableEnded) listener();
    });
  }
}

/** Node gives a response the socket once the responses before it are sent. */
function isPipelined(response: ServerResponse): boolean {
  return response.socket === null;
}

/** Nobody is left to read what is answered. */
function brokenOff(): HttpRefusal {
  return new HttpRefusal(400, undefined);
}

function alreadyRead(): SdkError {
  const message = "The body was read before the handler ran: pass what became of it as the handler's third argument";
  return new SdkError("invalid-argument", message);
}
