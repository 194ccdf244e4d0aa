/** A request as `node:http` received it. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../transport/timer-limit.js";
import type { Headers, HttpRequest } from "../http/http-exchange.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { invalidUtf8, tooLarge, tooSlow } from "../http/request-message.js";

export class NodeRequest implements HttpRequest {
  readonly parsedBody: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodyTimeoutMs: number;

  constructor(request: IncomingMessage, response: ServerResponse, parsedBody: unknown, bodyTimeoutMs: number) {
    this.#request = request;
    this.#response = response;
    this.parsedBody = parsedBody;
    this.#bodyTimeoutMs = bodyTimeoutMs;
  }

  get method(): string {
    return String(this.#request.method);
  }

  get path(): string {
    return this.#split().path;
  }

  get query(): string {
    return this.#split().query;
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
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        request.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost);
        outcome();
      };
      const fail = (error: Error) =>
        settle(() => {
          request.pause();
          reject(error);
        });
      const onData = (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) fail(tooLarge(maxBytes));
      };
      const onEnd = () =>
        settle(() => {
          const bytes = Buffer.concat(chunks, size);
          if (isUtf8(bytes)) resolve(bytes.toString());
          else reject(invalidUtf8());
        });
      const onLost = () => fail(brokenOff());
      const timer = Number.isFinite(this.#bodyTimeoutMs)
        ? setTimeout(() => fail(tooSlow(this.#bodyTimeoutMs)), timerMs(this.#bodyTimeoutMs))
        : undefined;
      request.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
    });
  }

  onDisconnect(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed) listener();
    else {
      response.once("close", () => {
        if (!response.writableEnded) listener();
      });
    }
  }

  #split(): { path: string; query: string } {
    const url = String(this.#request.url);
    const mark = url.indexOf("?");
    return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
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
