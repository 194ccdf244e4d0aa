/** A request as `node:http` received it. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SdkError } from "../../errors/sdk-error.js";
import type { Headers, HttpRequest } from "../http/http-exchange.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { type ArrivingBodies, invalidUtf8, tooLarge } from "../http/request-message.js";
import { onClosed } from "./closed-response.js";

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

export class NodeRequest implements HttpRequest {
  readonly parsedBody: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;

  constructor(request: IncomingMessage, response: ServerResponse, parsedBody: unknown, bodies: ArrivingBodies) {
    this.#request = request;
    this.#response = response;
    this.parsedBody = parsedBody;
    this.#bodies = bodies;
  }

  get method(): string {
    return String(this.#request.method);
  }

  /** Unix sockets have no address, and no web page reaches them. */
  get isLocal(): boolean {
    return LOOPBACK.test(this.#request.socket.localAddress ?? "");
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

  body(maxBytes: number): Promise<string> {
    const request = this.#request;
    if (Number(request.headers["content-length"]) > maxBytes) return Promise.reject(tooLarge(maxBytes));
    if (request.readableEnded) return Promise.reject(alreadyRead());
    if (request.destroyed) return Promise.reject(brokenOff());
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const bodies = this.#bodies;
      const fail = (error: HttpRefusal) => {
        bodies.remove(fail);
        request.off("data", onData).off("end", onEnd).off("close", onLost).pause();
        reject(error);
      };
      const onData = (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) fail(tooLarge(maxBytes));
      };
      const onEnd = () => {
        bodies.remove(fail);
        request.off("close", onLost);
        const [first] = chunks;
        const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks, size);
        if (isUtf8(bytes)) resolve(bytes.toString());
        else reject(invalidUtf8());
      };
      // Whatever breaks a request off closes it; nobody has to hear of the error as well.
      const onLost = () => fail(brokenOff());
      bodies.add(fail);
      request.on("data", onData).on("end", onEnd).on("close", onLost);
    });
  }

  onDisconnect(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed || this.#request.socket.destroyed) {
      listener();
      return;
    }
    onClosed(response, () => {
      if (!response.writableEnded) listener();
    });
  }
}

/** Nobody is left to read what is answered. */
function brokenOff(): HttpRefusal {
  return new HttpRefusal(400, undefined);
}

function alreadyRead(): SdkError {
  const message = "The body was read before the handler ran: pass what became of it as the handler's third argument";
  return new SdkError("invalid-argument", message);
}
