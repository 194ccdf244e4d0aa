/** What can be set about a connection over HTTP. */
import type { JsonLimits } from "../../wire/json-limits.js";
import type { Fetch } from "./fetch-http.js";
import type { SendHttp } from "./http-call.js";

export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export interface HttpOptions extends JsonLimits {
  /**
   * Headers for every HTTP request of the connection; a function is asked before each. Those of the protocol stand,
   * whatever is given here.
   */
  readonly headers?: HeaderSource | undefined;
  /** Makes all HTTP requests in place of the platform's own client. */
  readonly fetch?: Fetch | undefined;
  /** The same at a lower level; `fetch` is not used then. */
  readonly http?: SendHttp | undefined;
  /** The longest message to accept from the server. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How long the server may take to accept what needs no answer, or to say where to send messages to. Default 30 seconds. */
  readonly acceptTimeoutMs?: number | undefined;
  /** How long closing waits for the server to end the session. Default 2 seconds. */
  readonly closeTimeoutMs?: number | undefined;
  /** When and how often lost streams of a legacy session are resumed. */
  readonly streams?: StreamOptions | undefined;
  /** Hears of what no call rejects with: a stream that stays lost, an unreadable event, a session that could not be ended. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface StreamOptions {
  /** Attempts in a row that bring nothing before a stream is given up. Default 8; 0 never resumes. */
  readonly maxAttempts?: number | undefined;
  /** The wait before the first attempt, unless the server names one (`retry:`). Doubles with each. Default 1 second. */
  readonly initialDelayMs?: number | undefined;
  /** The longest wait, also for one that the server names. Default 30 seconds. */
  readonly maxDelayMs?: number | undefined;
  /** Waits before an attempt; a scheduler of the application's own. Rejects or resolves early when `signal` aborts. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** A number from 0 up to 1, to spread the attempts of many clients. */
  readonly random?: (() => number) | undefined;
}

export const DEFAULT_MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;
export const DEFAULT_ACCEPT_TIMEOUT_MS = 30_000;
export const DEFAULT_CLOSE_TIMEOUT_MS = 2_000;
