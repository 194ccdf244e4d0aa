/** `HttpResponse` over a web-standard `Response`: one body that the reader pulls, or an event stream with a bounded queue. */

import { timerMs } from "../../runtime/timers.js";
import { PIECE_LENGTH, pieceEnd } from "../../wire/text-pieces.js";
import type { EventSink, HttpBody, HttpHeaders, HttpResponse } from "../http/http-host.js";
import type { StreamLimits } from "../http/http-options.js";
import { EVENT_STREAM_HEADERS } from "../http/media-types.js";

/** Queued bytes up to which a handler that awaits its notifications continues. */
const DRAINED_BYTES = 64 * 1024;
/** The status that proxies log for a client that disconnected. No client receives it. */
const CLIENT_GONE = 499;

export class WebResponse implements HttpResponse {
  /** Resolves when the endpoint sends a response or opens a stream, or the client disconnects. */
  readonly sent: Promise<Response>;
  readonly #limits: StreamLimits;
  readonly #onCancel: () => void;
  #resolve!: (create: () => Response) => void;

  /** Calls `onCancel` when the client stops reading the stream. */
  constructor(limits: StreamLimits, onCancel: () => void) {
    this.#limits = limits;
    this.#onCancel = onCancel;
    const created = new Promise<() => Response>((resolve) => {
      this.#resolve = resolve;
    });
    // In a worker, a request cannot send a `Response` that another request created. A promise continuation runs in the request
    // that attached it.
    this.sent = created.then((create) => create());
  }

  send(status: number, headers: HttpHeaders, body?: HttpBody | Uint8Array): void {
    const content = contentOf(body);
    const isLong = content !== null && content.length > PIECE_LENGTH;
    const { stallTimeoutMs } = this.#limits;
    const init = { status, headers: checkedHead(status, headers, content !== null) };
    this.#resolve(() => new Response(isLong ? pulledBody(content, stallTimeoutMs) : content, init));
  }

  stream(headers: HttpHeaders): EventSink {
    const sink = new WebEventSink(this.#limits, this.#onCancel);
    this.#resolve(() => new Response(sink.readable, { status: 200, headers: { ...EVENT_STREAM_HEADERS, ...headers } }));
    return sink;
  }

  /** The client has disconnected. Resolves `sent` for the runtime that awaits it. */
  abandon(): void {
    this.send(CLIENT_GONE, {});
  }
}

/** Validates status and headers now, while the endpoint can still answer 500. @throws the runtime's error. */
function checkedHead(status: number, headers: HttpHeaders, hasBody: boolean): globalThis.Headers {
  // Fast path: almost all responses have one of these two statuses, which are valid.
  if (status !== 200 && status !== 202) void new Response(hasBody ? "" : null, { status });
  return new globalThis.Headers(headers);
}

function contentOf(body: HttpBody | Uint8Array | undefined): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined) return null;
  // `sendWebResponse` reads a whole body into an array of its own.
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : String(body);
}

/** A long body that is enqueued piece by piece as the client reads. Fails after `stallTimeoutMs` without a read. */
function pulledBody(content: string | Uint8Array, stallTimeoutMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let unread = content;
  let stall: ReturnType<typeof setTimeout> | undefined;
  const awaitReader = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(stall);
    stall = setTimeout(() => {
      unread = "";
      controller.error(tooSlow());
    }, timerMs(stallTimeoutMs));
    // Only runtimes like Node have `unref`.
    stall.unref?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: awaitReader,
      pull: (controller) => {
        if (typeof unread === "string") {
          const end = pieceEnd(unread, 0);
          controller.enqueue(encoder.encode(unread.slice(0, end)));
          unread = unread.slice(end);
        } else {
          controller.enqueue(unread.subarray(0, PIECE_LENGTH));
          unread = unread.subarray(PIECE_LENGTH);
        }
        if (unread.length > 0) {
          awaitReader(controller);
          return;
        }
        clearTimeout(stall);
        controller.close();
      },
      cancel: () => {
        unread = "";
        clearTimeout(stall);
      },
    },
    { highWaterMark: 0 },
  );
}

function tooSlow(): Error {
  return new Error("The client reads too slowly");
}

class WebEventSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #limits: StreamLimits;
  readonly #onCancel: () => void;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOpen = true;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #stall: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: StreamLimits, onCancel: () => void) {
    this.#limits = limits;
    this.#onCancel = onCancel;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          if (this.#queuedBytes <= DRAINED_BYTES) this.#release();
          else if (this.#drained) this.#awaitReader();
        },
        cancel: () => {
          this.#close();
          onCancel();
        },
      },
      // One byte over the limit, so that the runtime still calls `pull` with a queue at the limit.
      new ByteLengthQueuingStrategy({ highWaterMark: limits.maxQueuedBytes + 1 }),
    );
  }

  write(text: string): boolean {
    if (!this.#isOpen) return false;
    if (this.#queuedBytes > this.#limits.maxQueuedBytes) {
      this.#fail();
      return false;
    }
    this.#controller.enqueue(this.#encoder.encode(text));
    return true;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#controller.close();
    this.#close();
  }

  drained(): Promise<void> | undefined {
    if (!this.#isOpen || this.#queuedBytes <= DRAINED_BYTES) return undefined;
    if (!this.#drained) {
      this.#drained = deferred();
      this.#awaitReader();
    }
    return this.#drained.promise;
  }

  get #queuedBytes(): number {
    return this.#limits.maxQueuedBytes + 1 - Number(this.#controller.desiredSize);
  }

  /** Starts the stall timeout anew. */
  #awaitReader(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.#fail();
      this.#onCancel();
    }, timerMs(this.#limits.stallTimeoutMs));
  }

  #fail(): void {
    this.#controller.error(tooSlow());
    this.#close();
  }

  #close(): void {
    this.#isOpen = false;
    this.#release();
  }

  #release(): void {
    clearTimeout(this.#stall);
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
