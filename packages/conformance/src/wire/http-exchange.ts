/**
 * One HTTP request and its reply, bounded in bytes and time. An exchange always settles with an outcome: garbage, silence
 * and endless bodies are outcomes, not exceptions. `node-http.ts` sends over sockets; tests send to a function.
 */
import { EventStreamParser, type StreamEvent } from "./event-stream.js";

export interface HttpExchangeRequest {
  readonly verb: string;
  /** Names as they go over the wire. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A path at the same origin in place of the target's own, for metadata documents. */
  readonly path?: string;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request. Aborting the signal closes the connection. */
export type SendHttp = (call: HttpExchangeRequest, signal: AbortSignal) => Promise<HttpReply>;

export interface Limits {
  /** How long one exchange may take. */
  readonly timeoutMs: number;
  /** How long a stream is read after its answer, to see whether it ends. */
  readonly lingerMs: number;
  /** How many bytes of one reply are read. */
  readonly maxReplyBytes: number;
}

export const DEFAULT_LIMITS: Limits = { timeoutMs: 5000, lingerMs: 150, maxReplyBytes: 4 * 1024 * 1024 };

/** Events of one reply that are read. Small events take much more memory than their bytes. */
const MAX_EVENTS = 10_000;

/** How reading ended: `stopped` by the checker, which had seen enough. */
export type Ending = "complete" | "stopped" | "timeout" | "too-large" | "broken";

export interface HttpOutcome {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Events of a reply of type text/event-stream. */
  readonly events: readonly StreamEvent[];
  readonly ending: Ending;
  /** Why an exchange is `broken`. */
  readonly reason: string | undefined;
}

export interface ReadOptions {
  /** Reading goes on for `lingerMs` after an event for which this returns true. */
  readonly isLast?: (event: StreamEvent) => boolean;
  /** Reading stops when this is aborted, but not before the status is known. */
  readonly stop?: AbortSignal;
  readonly timeoutMs?: number;
  /** Sees each event when it arrives. */
  readonly onEvent?: (event: StreamEvent) => void;
}

export function isEventStream(headers: Readonly<Record<string, string>>): boolean {
  return mediaType(headers) === "text/event-stream";
}

export function mediaType(headers: Readonly<Record<string, string>>): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Performs one exchange. Never rejects. */
export async function exchangeHttp(
  send: SendHttp,
  call: HttpExchangeRequest,
  limits: Limits,
  options: ReadOptions = {},
): Promise<HttpOutcome> {
  const controller = new AbortController();
  const reading = new Reading(limits, options);
  const ended = new Promise<Ending>((resolve) => {
    reading.end = resolve;
  });
  let timer = setTimeout(() => reading.end("timeout"), options.timeoutMs ?? limits.timeoutMs);
  reading.linger = () => {
    clearTimeout(timer);
    timer = setTimeout(() => reading.end("stopped"), limits.lingerMs);
  };
  const onStop = () => reading.stop();
  if (options.stop?.aborted) onStop();
  options.stop?.addEventListener("abort", onStop, { once: true });
  const work = reading.read(send, call, controller.signal);
  const ending = await Promise.race([work, ended]);
  clearTimeout(timer);
  options.stop?.removeEventListener("abort", onStop);
  // Closing a finished exchange would cost the next one its kept-alive connection.
  if (ending !== "complete") controller.abort();
  return reading.outcome(ending);
}

/** What has been read so far, so that an exchange that is cut off still has evidence. */
class Reading {
  end: (ending: Ending) => void = () => undefined;
  linger: () => void = () => undefined;
  readonly #limits: Limits;
  readonly #options: ReadOptions;
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #text = "";
  #events: StreamEvent[] = [];
  #reason: string | undefined;
  #isStopped = false;

  constructor(limits: Limits, options: ReadOptions) {
    this.#limits = limits;
    this.#options = options;
  }

  async read(send: SendHttp, call: HttpExchangeRequest, signal: AbortSignal): Promise<Ending> {
    try {
      const reply = await send(call, signal);
      this.#status = reply.status;
      this.#headers = reply.headers;
      if (this.#isStopped) this.end("stopped");
      return await this.#readBody(reply);
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
      return "broken";
    }
  }

  async #readBody(reply: HttpReply): Promise<Ending> {
    const decoder = new TextDecoder();
    const parser = isEventStream(reply.headers) ? new EventStreamParser() : undefined;
    let bytes = 0;
    for await (const chunk of reply.body) {
      bytes += chunk.length;
      if (bytes > this.#limits.maxReplyBytes) return "too-large";
      const text = decoder.decode(chunk, { stream: true });
      this.#text += text;
      for (const event of parser?.push(text) ?? []) this.#take(event);
      if (this.#events.length > MAX_EVENTS) return "too-large";
    }
    return "complete";
  }

  #take(event: StreamEvent): void {
    this.#events.push(event);
    this.#options.onEvent?.(event);
    if (this.#options.isLast?.(event)) this.linger();
  }

  /** Ends reading once the status is known. */
  stop(): void {
    this.#isStopped = true;
    if (this.#status !== undefined) this.end("stopped");
  }

  outcome(ending: Ending): HttpOutcome {
    return {
      status: this.#status,
      headers: this.#headers,
      text: this.#text,
      events: this.#events,
      ending,
      reason: this.#reason,
    };
  }
}
