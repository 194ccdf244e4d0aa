/** One HTTP response with an event stream: sends keep-alive comments, and calls back once when either side ends it. */

import { timerMs } from "../../../../runtime/timers.js";
import { type Caller, onCallerExpiry } from "../../../../transport/caller.js";
import { SSE_KEEP_ALIVE } from "../../../../wire/sse-encoder.js";
import type { EventSink, HttpRequest, HttpResponse } from "../../http-host.js";

export class EventConnection {
  readonly #sink: EventSink;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  readonly #onOver: () => void;
  readonly #stopTimer: () => void;
  #isOpen = true;

  /** With `caller`, the stream ends when the caller's credential expires. */
  constructor(
    request: HttpRequest,
    response: HttpResponse,
    keepAliveMs: number,
    onOver: () => void,
    caller?: Caller | undefined,
    onKeepAlive?: () => void,
  ) {
    this.#onOver = onOver;
    this.#stopTimer = onCallerExpiry(caller, () => this.end());
    this.#sink = response.stream({});
    this.#keepAlive = setInterval(() => {
      this.write(SSE_KEEP_ALIVE);
      onKeepAlive?.();
    }, timerMs(keepAliveMs));
    request.onDisconnect(() => this.#over());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** False if the client has disconnected, or reads too slowly. */
  write(text: string): boolean {
    if (this.#isOpen && !this.#sink.write(text)) this.#over();
    return this.#isOpen;
  }

  /** Resolves once a slow client has caught up. Undefined if the client keeps up. */
  drained(): Promise<void> | undefined {
    return this.#sink.drained?.();
  }

  end(): void {
    this.#sink.end();
    this.#over();
  }

  #over(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearInterval(this.#keepAlive);
    this.#stopTimer();
    this.#onOver();
  }
}
