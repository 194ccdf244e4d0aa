/**
 * An event stream that survives lost connections: each is resumed after the last event id (`Last-Event-ID`), within limits.
 * Used for the stream of a request and for the standalone stream. Does not interpret messages.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import { parseJson } from "../../wire/json-text.js";
import { SseDecoder } from "../../wire/sse-decoder.js";
import { isRefused } from "../network-advice.js";
import type { HttpAnswer } from "./http-call.js";
import { HttpError, named } from "./http-error.js";
import type { ReconnectDelay } from "./reconnect-delay.js";

export interface ResumableStreamOptions {
  /** The name of the stream in error messages. */
  readonly name: string;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  readonly delay: ReconnectDelay;
  readonly signal: AbortSignal;
  /** Opens or resumes the stream after an event. Rejects if the server offers no stream. */
  open(lastEventId: string | undefined): Promise<HttpAnswer>;
  /** Whether a lost connection may be resumed after this event id. */
  mayResume(lastEventId: string | undefined): boolean;
  /** Whether to retry after a refused connection, when the server's process is gone. */
  readonly outlivesServer: boolean;
  /** Called with the error of a lost connection before the next attempt. @defaultValue none */
  onLoss?(loss: Error): void;
  /** Whether to restart without missed events if the server refuses the last event id. */
  readonly mayStartOver: boolean;
  /** Receives a message. Returns true to stop reading. */
  take(message: unknown): boolean;
  /** Called with the error of an event that is no message. */
  report(error: Error): void;
}

export class ResumableStream {
  readonly #options: ResumableStreamOptions;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Attempts since the last message. */
  #attempts = 0;

  constructor(options: ResumableStreamOptions) {
    this.#options = options;
  }

  /**
   * Reads until `take` returns true. `first` is a response that is open already.
   * @throws {SdkError} when the stream cannot be resumed; the reason of the signal once it is aborted.
   */
  async follow(first?: HttpAnswer): Promise<void> {
    let answer = first;
    for (;;) {
      let isDone = false;
      let loss: unknown;
      try {
        answer ??= await this.#options.open(this.#lastEventId);
        isDone = await this.#read(answer);
      } catch (error) {
        loss = error;
      }
      if (isDone) return;
      answer = undefined;
      this.#options.signal.throwIfAborted();
      if (isFinal(loss) && !this.#startOver(loss)) throw named(this.#options.name, loss);
      await this.#beforeNextAttempt(loss);
    }
  }

  /** Restarts the stream and reports it, since events may be missing. */
  #startOver(loss: Error): boolean {
    const { name, mayStartOver, report } = this.#options;
    const isForgotten = loss instanceof HttpError && loss.status === 400 && this.#lastEventId !== undefined;
    if (!mayStartOver || !isForgotten) return false;
    this.#lastEventId = undefined;
    report(ended(`${name}: the stream begins anew, since the server refuses to resume it after its last event`, loss));
    return true;
  }

  async #beforeNextAttempt(loss: unknown): Promise<void> {
    const { name, delay, signal, mayResume } = this.#options;
    if (!mayResume(this.#lastEventId)) throw ended(`${name}: the stream ended early and cannot be resumed`, loss);
    if (!this.#options.outlivesServer && loss instanceof Error && isRefused(loss)) {
      // A new server process does not know the request of this stream.
      throw ended(`${name}: the server is gone, so the stream cannot be resumed (${loss.message})`, loss);
    }
    if (loss instanceof Error) this.#options.onLoss?.(loss);
    if (this.#attempts >= delay.maxAttempts) {
      throw ended(`${name}: the stream was lost, and ${this.#attempts} attempts to resume it brought nothing`, loss);
    }
    if (this.#retryMs !== undefined && this.#retryMs > delay.maxRetryMs) {
      const wish = `the server asks to wait ${this.#retryMs} ms before the stream is resumed`;
      throw ended(`${name}: ${wish}; streams.maxRetryMs allows ${delay.maxRetryMs}`, loss);
    }
    await delay.wait(this.#attempts, this.#retryMs, signal);
    signal.throwIfAborted();
    this.#attempts += 1;
  }

  async #read(answer: HttpAnswer): Promise<boolean> {
    const decoder = new SseDecoder(this.#options.maxMessageBytes, this.#lastEventId);
    const openedAt = performance.now();
    let failure: unknown;
    try {
      for await (const chunk of answer.chunks()) {
        if (this.#takeChunk(decoder, chunk)) return true;
      }
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      answer.discard(failure);
      // A long-lived connection resets the count even without events: proxies cut idle ones every minute or so.
      if (performance.now() - openedAt >= this.#options.delay.maxDelayMs) this.#attempts = 0;
    }
    return false;
  }

  #takeChunk(decoder: SseDecoder, chunk: Uint8Array): boolean {
    const events = decoder.decode(chunk);
    this.#lastEventId = decoder.lastEventId;
    this.#retryMs = decoder.retryMs ?? this.#retryMs;
    for (const { type, data } of events) {
      // An event without data only sets the last event id.
      if (type === "message" && data !== "" && this.#takeMessage(data)) return true;
    }
    return false;
  }

  #takeMessage(data: string): boolean {
    const parsed = parseJson(data, this.#options.jsonLimits);
    if (!parsed.ok) {
      const message = `${this.#options.name}: an event is no message (${parsed.error.message})`;
      this.#options.report(new SdkError("invalid-message", message, { cause: parsed.error }));
      return false;
    }
    this.#attempts = 0;
    return this.#options.take(parsed.value);
  }
}

/** Temporary statuses. 409: the server has not noticed yet that the last connection is lost. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** Whether another attempt would fail the same way. Lost connections and 5xx statuses are retried. */
function isFinal(loss: unknown): loss is SdkError {
  if (!(loss instanceof SdkError) || loss.code === "connection-closed") return false;
  if (!(loss instanceof HttpError)) return true;
  return loss.status < 500 && !PASSING.has(loss.status);
}

function ended(message: string, cause: unknown): SdkError {
  return new SdkError("stream-ended", message, { cause });
}
