/** `HttpRequest` over a web-standard `Request`. */
import { SdkError } from "../../errors/sdk-error.js";
import { binaryText } from "../../runtime/base64.js";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import { timerMs } from "../../runtime/timers.js";
import { configuredAddress } from "../http/client-address.js";
import type { HttpHeaders, HttpRequest } from "../http/http-host.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { type ArrivingBodies, decodeBody, tooSlow } from "../http/request-message.js";

/** Returns the client's address, from a header that the platform sets. */
export type ClientAddress = (request: Request) => string | null | undefined;

export class WebRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: string;
  /** True without TLS. With TLS, a certificate has proven the host name, so DNS rebinding is not possible. */
  readonly isLocal: boolean;
  readonly parsedBody: unknown;
  isDisconnected = false;
  readonly #request: Request;
  readonly #host: string;
  readonly #bodyTimeoutMs: number;
  readonly #bodies: ArrivingBodies;
  readonly #clientAddress: ClientAddress | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(
    request: Request,
    parsedBody: unknown,
    bodyTimeoutMs: number,
    bodies: ArrivingBodies,
    clientAddress: ClientAddress | undefined,
  ) {
    const url = new URL(request.url);
    this.#request = request;
    this.method = request.method;
    this.url = request.url;
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.isLocal = url.protocol === "http:";
    this.#host = url.host;
    this.parsedBody = parsedBody;
    this.#bodyTimeoutMs = bodyTimeoutMs;
    this.#bodies = bodies;
    this.#clientAddress = clientAddress;
    if (request.signal.aborted) this.isDisconnected = true;
    else request.signal.addEventListener("abort", () => this.disconnected(), { once: true });
  }

  /** Computed on each access; only rate limits and `routes` read it. */
  get address(): string | undefined {
    return configuredAddress(this.#clientAddress?.(this.#request));
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === "host" ? this.#host : undefined);
  }

  headers(): HttpHeaders {
    return { host: this.#host, ...Object.fromEntries(this.#request.headers) };
  }

  readBody(
    maxBytes: number,
    principal: string | undefined,
    onText: (text: string, bytes: number) => void,
    onFailure: (error: unknown) => void,
    encoding: "utf8" | "latin1" = "utf8",
  ): void {
    this.#bytes(maxBytes, principal)
      .then((bytes) => onText(encoding === "utf8" ? decodeBody(bytes) : binaryText(bytes), bytes.length))
      .catch(onFailure);
  }

  onDisconnect(listener: () => void): void {
    if (this.isDisconnected) listener();
    else this.#listeners.push(listener);
  }

  /** The client has disconnected. May be called again. */
  disconnected(): void {
    this.isDisconnected = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  async #bytes(maxBytes: number, principal: string | undefined): Promise<Uint8Array> {
    if (this.#request.bodyUsed) throw alreadyRead();
    if (Number(this.header("content-length")) > maxBytes) throw HttpRefusal.tooLarge(maxBytes);
    if (this.#request.body === null) return new Uint8Array(0);
    return this.#read(this.#request.body.getReader(), maxBytes, principal);
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    maxBytes: number,
    principal: string | undefined,
  ): Promise<Uint8Array> {
    const body = new ByteBuffer();
    let counted = 0;
    let isLate = false;
    // Not the shared queue of `ArrivingBodies`: in a worker, one request must not use the I/O objects of another.
    const timer = Number.isFinite(this.#bodyTimeoutMs)
      ? setTimeout(() => {
          isLate = true;
          // Ends the pending read.
          discard(reader);
        }, timerMs(this.#bodyTimeoutMs))
      : undefined;
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        body.append(read.value);
        const refusal =
          body.length > maxBytes ? HttpRefusal.tooLarge(maxBytes) : this.#bodies.grow(principal, read.value.length);
        if (refusal) {
          discard(reader);
          throw refusal;
        }
        counted += read.value.length;
      }
    } finally {
      clearTimeout(timer);
      this.#bodies.shrink(principal, counted);
    }
    if (isLate) throw tooSlow(this.#bodyTimeoutMs);
    return body.bytes();
  }
}

/** Cancels a body. The request is refused for another reason already, so a source that fails to cancel is ignored. */
function discard(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined);
}

function alreadyRead(): SdkError {
  return new SdkError(
    "invalid-argument",
    "The body was read before the handler ran: pass what became of it as parsedBody",
  );
}
