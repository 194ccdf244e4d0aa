/**
 * The seam between the HTTP transports and whatever makes HTTP calls: fetch-http.ts over any standard `fetch`,
 * ../node/undici-http.ts over Node's own client. Redirects, headers and limits are the business of the callers.
 */
import type { CallHandle } from "./call-handle.js";

export interface HttpCall {
  readonly method: "POST" | "GET" | "DELETE";
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly handle: CallHandle;
}

/** A response whose head has arrived. Its body is read once, in one of the two ways, or discarded. */
export interface HttpAnswer {
  readonly status: number;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  /** The whole body. Rejects with an SdkError `too-large` as soon as it is longer than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array>;
  /** The body as it comes. May be left at any point; `discard` must follow then. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Nothing (more) of the body is wanted. */
  discard(): void;
}

/** Makes one HTTP call. Rejects if no response came; every status is an answer. Follows no redirects. */
export type SendHttp = (call: HttpCall) => Promise<HttpAnswer>;
