/**
 * The messages of one event stream, from whatever number of connections it takes: a lost one is resumed after its last
 * event, within limits. Serves the stream of a request and the standalone one; what a message means is not its business.
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
  /** How errors name the stream. */
  readonly name: string;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  readonly delay: ReconnectDelay;
  readonly signal: AbortSignal;
  /** Opens the stream (again) after an event. Rejects if there is no stream to be had. */
  open(lastEventId: string | undefined): Promise<HttpAnswer>;
  /** Whether a lost connection may be replaced, given the last event's id. */
  mayResume(lastEventId: string | undefined): boolean;
  /** Whether it is worth resuming once nothing listens at the server's address. */
  readonly outlivesServer: boolean;
  /** Called with every lost connection that is going to be replaced. @defaultValue none */
  onLoss?(loss: Error): void;
  /** Whether it may begin anew, without what was missed, if the server no longer knows its last event. */
  readonly mayBeginAnew: boolean;
  /** Takes a message; true if the stream has served its purpose. */
  take(message: unknown): boolean;
  /** Hears of events that are no message. */
  report(error: Error): void;
}

export class ResumableStream {
  readonly #options: ResumableStreamOptions;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Attempts since the stream last brought something. */
  #attempts = 0;

  constructor(options: ResumableStreamOptions) {
    this.#options = options;
  }

  /**
   * Reads until `take` has what it wants, beginning with a response if there is one already.
   * @throws {SdkError} when the stream is lost for good; the signal's reason once that is aborted.
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
      if (isFinal(loss) && !this.#beginAnew(loss)) throw named(this.#options.name, loss);
      await this.#beforeNextAttempt(loss);
    }
  }

  /** Not in silence: nobody knows what was missed. */
  #beginAnew(loss: Error): boolean {
    const { name, mayBeginAnew, report } = this.#options;
    const isForgotten = loss instanceof HttpError && loss.status === 400 && this.#lastEventId !== undefined;
    if (!mayBeginAnew || !isForgotten) return false;
    this.#lastEventId = undefined;
    report(ended(`${name}: the stream begins anew, since the server refuses to resume it after its last event`, loss));
    return true;
  }

  async #beforeNextAttempt(loss: unknown): Promise<void> {
    const { name, delay, signal, mayResume } = this.#options;
    if (!mayResume(this.#lastEventId)) throw ended(`${name}: the stream ended early and cannot be resumed`, loss);
    if (!this.#options.outlivesServer && loss instanceof Error && isRefused(loss)) {
      // A server that takes its place knows nothing of the request that the stream belongs to.
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
    try {
      for await (const chunk of answer.chunks()) {
        if (this.#takeChunk(decoder, chunk)) return true;
      }
    } finally {
      answer.discard();
      // A connection that lasted is no poll, even if nothing came: proxies cut idle ones every minute or so.
      if (performance.now() - openedAt >= this.#options.delay.maxDelayMs) this.#attempts = 0;
    }
    return false;
  }

  #takeChunk(decoder: SseDecoder, chunk: Uint8Array): boolean {
    const events = decoder.decode(chunk);
    this.#lastEventId = decoder.lastEventId;
    this.#retryMs = decoder.retryMs ?? this.#retryMs;
    for (const { type, data } of events) {
      // An event without data only says after which id to resume.
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

/** 409: the server has not noticed yet that the connection before was lost. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** Whether another attempt would end the same way. Lost connections and servers in trouble are worth one. */
function isFinal(loss: unknown): loss is SdkError {
  if (!(loss instanceof SdkError) || loss.code === "connection-closed") return false;
  if (!(loss instanceof HttpError)) return true;
  return loss.status < 500 && !PASSING.has(loss.status);
}

function ended(message: string, cause: unknown): SdkError {
  return new SdkError("stream-ended", message, { cause });
}
