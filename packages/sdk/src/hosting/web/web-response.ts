/** A web-standard `Response`, with one body that is pulled, or as an event stream with a bounded queue. */

import { timerMs } from "../../runtime/timers.js";
import { PIECE_LENGTH, pieceEnd } from "../../wire/text-pieces.js";
import type { Body, EventSink, Headers, HttpResponse } from "../http/http-host.js";
import type { StreamLimits } from "../http/http-options.js";
import { EVENT_STREAM_HEADERS } from "../http/media-types.js";

/** How much may wait before those who write are asked to wait as well. */
const CALM_BYTES = 64 * 1024;
/** Nobody is there to see it; the status is what proxies log in this case. */
const CLIENT_GONE = 499;

export class WebResponse implements HttpResponse {
  /** Settles as soon as there is something to answer with, or nobody to answer. */
  readonly sent: Promise<Response>;
  readonly #limits: StreamLimits;
  readonly #onCancel: () => void;
  #resolve!: (create: () => Response) => void;

  /** `onCancel` hears that the client stopped reading the stream. */
  constructor(limits: StreamLimits, onCancel: () => void) {
    this.#limits = limits;
    this.#onCancel = onCancel;
    const created = new Promise<() => Response>((resolve) => {
      this.#resolve = resolve;
    });
    // In a worker, what another request makes cannot be sent here. A continuation runs in the request that attached it.
    this.sent = created.then((create) => create());
  }

  send(status: number, headers: Headers, body?: Body): void {
    const text = body === undefined ? null : String(body);
    const isLong = text !== null && text.length > PIECE_LENGTH;
    const { stallTimeoutMs } = this.#limits;
    const init = { status, headers: checkedHead(status, headers, text !== null) };
    this.#resolve(() => new Response(isLong ? pulledBody(text, stallTimeoutMs) : text, init));
  }

  stream(headers: Headers): EventSink {
    const sink = new WebEventSink(this.#limits, this.#onCancel);
    this.#resolve(() => new Response(sink.readable, { status: 200, headers: { ...EVENT_STREAM_HEADERS, ...headers } }));
    return sink;
  }

  /** The client is gone: whoever waits for the response need not. */
  abandon(): void {
    this.send(CLIENT_GONE, {});
  }
}

/** What cannot be sent has to fail while its sender can still answer something else. @throws the runtime's error. */
function checkedHead(status: number, headers: Headers, hasBody: boolean): globalThis.Headers {
  // Almost all responses have one of these, which every runtime accepts.
  if (status !== 200 && status !== 202) void new Response(hasBody ? "" : null, { status });
  return new globalThis.Headers(headers);
}

/** Long text that is handed out at the reader's pace, and let go when nobody reads for the stall limit. */
function pulledBody(text: string, stallTimeoutMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let unread = text;
  let stall: ReturnType<typeof setTimeout> | undefined;
  const awaitReader = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(stall);
    stall = setTimeout(() => {
      unread = "";
      controller.error(tooSlow());
    }, timerMs(stallTimeoutMs));
    // Only Node.js and its like have such a thing.
    stall.unref?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: awaitReader,
      pull: (controller) => {
        const end = pieceEnd(unread, 0);
        controller.enqueue(encoder.encode(unread.slice(0, end)));
        unread = unread.slice(end);
        if (unread !== "") {
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
          if (this.#queuedBytes <= CALM_BYTES) this.#release();
          else if (this.#drained) this.#awaitReader();
        },
        cancel: () => {
          this.#close();
          onCancel();
        },
      },
      // One more than the bound, so that a queue at its bound still wants to be pulled.
      new ByteLengthQueuingStrategy({ highWaterMark: limits.maxQueuedBytes + 1 }),
    );
  }

  write(text: string): boolean {
    if (!this.#isOpen) return false;
    if (this.#queuedBytes > this.#limits.maxQueuedBytes) {
      this.#giveUp();
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
    if (!this.#isOpen || this.#queuedBytes <= CALM_BYTES) return undefined;
    if (!this.#drained) {
      this.#drained = deferred();
      this.#awaitReader();
    }
    return this.#drained.promise;
  }

  get #queuedBytes(): number {
    return this.#limits.maxQueuedBytes + 1 - Number(this.#controller.desiredSize);
  }

  /** From now on the client has so long to take something. */
  #awaitReader(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.#giveUp();
      this.#onCancel();
    }, timerMs(this.#limits.stallTimeoutMs));
  }

  #giveUp(): void {
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
