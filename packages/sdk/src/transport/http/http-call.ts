/**
 * The interface between HTTP transports and HTTP clients. fetch-http.ts implements it over a standard `fetch`,
 * ../node/undici-http.ts over `undici`. Redirects, header merging and timeouts belong to the callers.
 */
import type { CallController } from "./call-controller.js";

export interface HttpCall {
  readonly method: "POST" | "GET" | "DELETE";
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly controller: CallController;
}

/** A response whose head has arrived. The caller reads its body once, with `body` or `chunks`, or discards it. */
export interface HttpAnswer {
  readonly status: number;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** The whole body. Rejects with an SdkError `too-large` as soon as it is longer than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array>;
  /** The chunks of the body as they arrive. A reader that stops early must call `discard`. */
  chunks(): AsyncIterable<Uint8Array>;
  /**
   * Drops the rest of the body. A client may read a little of it, so that its connection can be reused. With an `error` of the
   * reader, the connection closes at once.
   */
  discard(error?: unknown): void;
}

/** Makes one HTTP call. Rejects if no response came; every status is an answer. Follows no redirects. */
export type SendHttp = (call: HttpCall) => Promise<HttpAnswer>;
