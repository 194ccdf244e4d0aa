/** One HTTP call over a dispatcher of `undici`. `UndiciCall` is the request, `UndiciAnswer` the response with its body. */
import type { Dispatcher } from "undici";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import type { InFlightCall } from "../http/call-controller.js";
import type { HttpAnswer, HttpCall } from "../http/http-call.js";
import { responseTooLarge } from "../http/http-error.js";

type Controller = Dispatcher.DispatchController;
type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** Time and bytes for a discarded response to end. If it does, its connection can be reused. */
const DRAIN_MS = 1_000;
const MAX_DRAIN_BYTES = 65_536;
/** Unread bytes of a response. Readers normally take chunks as they arrive, so few bytes wait. */
const MAX_UNREAD_BYTES = 1_048_576;
/** Longer bodies are written in pieces of this size, so that the last piece shows when the body was sent. */
const PIECE_BYTES = 262_144;

interface RequestContent {
  readonly headers: HttpCall["headers"];
  readonly body: string | Iterable<Uint8Array> | undefined;
}

/** The connection that a call occupies. */
export interface LeasedConnection {
  /** The call has its response. The connection may carry another call. */
  release(): void;
  /** The call failed. The connection closes, also while it is being established. */
  abandon(): void;
}

export class UndiciCall implements InFlightCall, Dispatcher.DispatchHandler {
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #connection: LeasedConnection | undefined;
  #controller: Controller | undefined;
  #answer: UndiciAnswer | undefined;
  #ending: { readonly reason: unknown } | undefined;
  #isOver = false;
  #hasPieces = false;
  #isSent = false;
  #sent: Promise<void> | undefined;
  #resolveSent: (() => void) | undefined;

  constructor(
    resolve: (answer: HttpAnswer) => void,
    reject: (error: unknown) => void,
    connection: LeasedConnection | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#connection = connection;
  }

  /** The headers and the body to dispatch. */
  contentOf(headers: HttpCall["headers"], text: string | undefined): RequestContent {
    if (text === undefined || text.length <= PIECE_BYTES) return { headers, body: text };
    this.#hasPieces = true;
    const bytes = Buffer.from(text);
    return { headers: { ...headers, "content-length": String(bytes.length) }, body: this.#pieces(bytes) };
  }

  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#ending = { reason };
    this.#fail(reason, true);
    if (this.#controller)
      this.#controller.abort(reason as Error); // Any value passes through.
    else this.#connection?.abandon();
  }

  sent(): Promise<void> {
    if (this.#isSent) return Promise.resolve();
    this.#sent ??= new Promise((resolve) => {
      this.#resolveSent = resolve;
    });
    return this.#sent;
  }

  /** @throws the reason of an abort, so that `undici` does not send the call. */
  onRequestStart(controller: Controller): void {
    if (this.#ending) throw this.#ending.reason;
    this.#controller = controller;
    if (!this.#hasPieces) this.#markSent();
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders): void {
    // 1xx: informational, the response follows.
    if (status < 200) return;
    this.#markSent();
    this.#answer = new UndiciAnswer(status, headers, controller);
    this.#resolve(this.#answer);
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    this.#answer?.push(chunk);
  }

  onResponseEnd(): void {
    this.#isOver = true;
    this.#answer?.end();
    this.#connection?.release();
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#ending === undefined) this.#fail(withNodeCode(error), false);
    // Released, its client would connect anew for no call.
    if (this.#controller) this.#connection?.abandon();
  }

  #fail(error: unknown, isEnded: boolean): void {
    this.#isOver = true;
    this.#markSent();
    this.#answer?.fail(error, isEnded);
    this.#reject(error);
  }

  *#pieces(bytes: Uint8Array): Iterable<Uint8Array> {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
    this.#markSent();
  }

  #markSent(): void {
    this.#isSent = true;
    this.#resolveSent?.();
  }
}

class UndiciAnswer implements HttpAnswer {
  readonly status: number;
  readonly #headers: ResponseHeaders;
  readonly #controller: Controller;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #outcome: { readonly error?: unknown } | undefined;
  #isDiscarded = false;
  /** Bytes that arrived after `discard`. */
  #drainedBytes = 0;
  #drain: ReturnType<typeof setTimeout> | undefined;
  /** Wakes the reader that waits for chunks. */
  #wake: (() => void) | undefined;

  constructor(status: number, headers: ResponseHeaders, controller: Controller) {
    this.status = status;
    this.#headers = headers;
    this.#controller = controller;
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  async body(maxBytes: number): Promise<Uint8Array> {
    const body = new ByteBuffer();
    while (await this.#hasMore()) {
      for (const chunk of this.#takeUnread()) body.append(chunk);
      if (body.length > maxBytes) throw this.#abort(responseTooLarge(maxBytes));
    }
    return body.bytes();
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    while (await this.#hasMore()) yield* this.#takeUnread();
  }

  discard(error?: unknown): void {
    this.#isDiscarded = true;
    if (error !== undefined && this.#outcome === undefined) {
      this.#unread = [];
      this.#endDrain();
      return;
    }
    this.#takeUnread();
    if (this.#outcome) return;
    this.#drain = setTimeout(() => this.#endDrain(), DRAIN_MS).unref();
  }

  push(chunk: Uint8Array): void {
    if (this.#isDiscarded) {
      this.#drainedBytes += chunk.length;
      if (this.#drainedBytes > MAX_DRAIN_BYTES) this.#endDrain();
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#holdBack();
    this.#wake?.();
  }

  end(): void {
    this.#settle({});
  }

  /** Chunks that have arrived are still read, unless the caller aborted the call (`isEnded`). */
  fail(error: unknown, isEnded: boolean): void {
    if (isEnded) this.#unread = [];
    this.#settle({ error });
  }

  #holdBack(): void {
    if (canPause(this.#headers)) this.#controller.pause();
    else this.#abort(new Error(`More than ${MAX_UNREAD_BYTES} bytes of the response wait to be read`));
  }

  #endDrain(): void {
    this.#abort(new Error("The rest of the response is discarded"));
  }

  #settle(outcome: { readonly error?: unknown }): void {
    this.#outcome = outcome;
    clearTimeout(this.#drain);
    this.#wake?.();
  }

  /** Waits for chunks. False at the end of the body. @throws the error of the response. */
  #hasMore(): boolean | Promise<boolean> {
    if (this.#unread.length > 0) return true;
    if (this.#outcome === undefined) {
      return new Promise<void>((resolve) => {
        this.#wake = resolve;
      }).then(() => this.#hasMore());
    }
    if ("error" in this.#outcome) throw this.#outcome.error;
    return false;
  }

  #takeUnread(): readonly Uint8Array[] {
    const chunks = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    // May deliver more chunks before it returns.
    if (this.#controller.paused) this.#controller.resume();
    return chunks;
  }

  #abort(error: Error): Error {
    this.#controller.abort(error);
    return error;
  }
}

/**
 * Whether the response may be paused. If the connection of a paused response closes, an assertion in `undici` can fail and
 * end the process. Responses with keep-alive and a known end are not affected.
 */
function canPause(headers: ResponseHeaders): boolean {
  const hasEnd = headers["content-length"] !== undefined || headers["transfer-encoding"] === "chunked";
  return hasEnd && headers.connection === "keep-alive";
}

/** Errors of `undici` for responses that it does not accept, and the advice for them. */
const REFUSED_RESPONSES: ReadonlyMap<string, string> = new Map([
  [
    "bad response",
    "the server sent 100 Continue, which the request did not ask for; switch it off in the server or in its proxy",
  ],
  [
    "bad upgrade",
    "the server answered 101 Switching Protocols, which the request did not ask for; check that the URL is an MCP endpoint",
  ],
]);

/** Gives undici's error for a connection closed by the peer the code of Node, `ECONNRESET`. */
function withNodeCode(error: Error): Error {
  if (!("code" in error) || error.code !== "UND_ERR_SOCKET") return error;
  const refused = REFUSED_RESPONSES.get(error.message);
  if (refused !== undefined) return new Error(refused, { cause: error });
  return Object.assign(new Error(error.message, { cause: error }), { code: "ECONNRESET" });
}
