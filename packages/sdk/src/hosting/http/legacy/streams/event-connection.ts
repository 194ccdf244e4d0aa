/** One HTTP response that is an event stream: keeps itself alive, and says once when it is over, whoever ended it. */

import { timerMs } from "../../../../runtime/timers.js";
import type { Caller } from "../../../../transport/caller.js";
import { onCallerExpiry } from "../../../../transport/caller.js";
import { SSE_KEEP_ALIVE } from "../../../../wire/sse-encoder.js";
import type { EventSink, HttpRequest, HttpResponse } from "../../http-host.js";

export class EventConnection {
  readonly #sink: EventSink;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  readonly #onOver: () => void;
  readonly #stopTimer: () => void;
  #isOpen = true;

  /** With a caller the stream ends when its credential expires. */
  constructor(
    request: HttpRequest,
    response: HttpResponse,
    keepAliveMs: number,
    onOver: () => void,
    caller?: Caller | undefined,
  ) {
    this.#onOver = onOver;
    this.#stopTimer = onCallerExpiry(caller, () => this.end());
    this.#sink = response.stream({});
    this.#keepAlive = setInterval(() => this.write(SSE_KEEP_ALIVE), timerMs(keepAliveMs));
    request.onDisconnect(() => this.#over());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** False once nobody reads any more, or reads too slowly. */
  write(text: string): boolean {
    if (this.#isOpen && !this.#sink.write(text)) this.#over();
    return this.#isOpen;
  }

  /** Settles once a client that reads slowly has caught up. */
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
