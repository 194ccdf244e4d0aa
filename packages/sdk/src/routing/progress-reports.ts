/** Progress reports of one request. Values must rise. With an interval, at most one report per interval is sent. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import type { JsonObject } from "../runtime/json.js";
import { timerMs } from "../runtime/timers.js";

export interface OutgoingProgress extends JsonObject {
  progress: number;
}

export class ProgressReports {
  readonly #request: InboundRequest;
  readonly #intervalMs: number | undefined;
  readonly #stop = () => this.#end();
  #last = Number.NEGATIVE_INFINITY;
  /** The timer of the current interval. While it runs, reports are held back. */
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** The newest report that was held back. */
  #latest: OutgoingProgress | undefined;
  #isOver = false;

  constructor(request: InboundRequest, intervalMs: number | undefined) {
    this.#request = request;
    this.#intervalMs = intervalMs;
  }

  /** Sends a report, or holds it back. Resolves at once for a report that is held back: a later one may replace it. */
  report(report: OutgoingProgress): Promise<void> {
    if (this.#isOver || this.#request.isSettled || report.progress <= this.#last) return Promise.resolve();
    this.#last = report.progress;
    if (this.#intervalMs === undefined) return this.#send(report);
    if (this.#pause !== undefined) {
      this.#latest = report;
      return Promise.resolve();
    }
    this.#startPause(this.#intervalMs);
    return this.#send(report);
  }

  /** Sends the report that was held back. Called before the answer is sent; later reports are dropped. */
  finish(): void {
    const latest = this.#latest;
    this.#end();
    if (latest !== undefined && !this.#request.isSettled) void this.#send(latest);
  }

  #startPause(intervalMs: number): void {
    this.#request.signal.addEventListener("abort", this.#stop, { once: true });
    this.#pause = setTimeout(() => this.#elapsed(intervalMs), timerMs(intervalMs));
  }

  #elapsed(intervalMs: number): void {
    const latest = this.#latest;
    this.#clearPause();
    if (latest === undefined) return;
    this.#startPause(intervalMs);
    void this.#send(latest);
  }

  #end(): void {
    this.#isOver = true;
    this.#clearPause();
  }

  #clearPause(): void {
    this.#latest = undefined;
    if (this.#pause === undefined) return;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#request.signal.removeEventListener("abort", this.#stop);
  }

  #send(report: OutgoingProgress): Promise<void> {
    return this.#request.notify("notifications/progress", report);
  }
}
