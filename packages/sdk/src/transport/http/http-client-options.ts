/** Options of a connection over HTTP. */
import { checkNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { Fetch } from "./fetch-http.js";
import type { SendHttp } from "./http-call.js";

/** Headers for every request, or a function that the client calls before each one. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Authorizes the HTTP calls of connections. One object may serve many connections and servers. */
export interface HttpAuthorization {
  /**
   * Wraps `http`, so that calls to the server at `url` carry an access token. A call that the server refuses with 401 or 403
   * is sent again after a login. `fetch` is the connection's own, for calls to authorization servers.
   */
  authorize(url: URL, http: SendHttp, fetch: Fetch | undefined): SendHttp;
  /** A cache key for the login of calls to `url`. It contains no secret and changes with every login. */
  identity(url: URL): Promise<string>;
}

/** Makes HTTP connections on Node: an `Agent`, a `ProxyAgent` or any other dispatcher of the `undici` package. */
export interface HttpDispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Options of a connection over HTTP: headers, authorization, limits, and the HTTP client. */
export interface HttpClientOptions extends JsonLimits {
  /**
   * Headers for every HTTP request of the connection. A function is called before each request. Headers of the protocol
   * take precedence.
   * @defaultValue none
   */
  readonly headers?: HeaderSource | undefined;
  /**
   * Logs in when the server asks for it, and adds the access token to every HTTP request. The token replaces an
   * `authorization` header of `headers`. Created by `oauth` of `parley-mcp/oauth`.
   * @defaultValue none: the connection rejects as the server answers
   */
  readonly authorization?: HttpAuthorization | undefined;
  /** Makes all HTTP requests. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
  /** Makes all HTTP requests at a lower level, instead of `fetch`. @defaultValue the platform's HTTP client */
  readonly http?: SendHttp | undefined;
  /** Bytes of one message from the server: a response body or one event. @defaultValue 16_777_216 */
  readonly maxMessageBytes?: number | undefined;
  /** Time for the server to accept a message without an answer, or to name its endpoint. @defaultValue 30_000 */
  readonly acceptTimeoutMs?: number | undefined;
  /** Time that `close` waits for the server to end the session. @defaultValue 2_000 */
  readonly closeTimeoutMs?: number | undefined;
  /** Attempts to resume the lost streams of a legacy session. @defaultValue the defaults of `StreamOptions` */
  readonly streams?: StreamOptions | undefined;
  /**
   * Called with every error that no call rejects with: a lost stream that was not resumed, an unreadable event, a session that
   * could not be ended.
   * @defaultValue none
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The attempts of a client to resume a lost event stream: their number, and the delays between them. */
export interface StreamOptions {
  /** Attempts in a row without an event before the client gives the stream up. 0 never resumes. @defaultValue 8 */
  readonly maxAttempts?: number | undefined;
  /**
   * Delay before the first attempt, unless the server sends one (`retry:`). It doubles with each attempt.
   * @defaultValue 1_000
   */
  readonly initialDelayMs?: number | undefined;
  /** Longest delay, unless the server sends a longer one. Up to a quarter is added at random. @defaultValue 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** Longest `retry:` of a server. The client gives up the stream if the server sends a longer one. @defaultValue 600_000 */
  readonly maxRetryMs?: number | undefined;
  /** Waits before an attempt. Rejects or resolves early when `signal` aborts. @defaultValue a timer */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 up to 1, to spread the attempts of many clients. @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
}

const OPTIONS: OptionTable<HttpClientOptions> = {
  headers: true,
  authorization: "object",
  fetch: "function",
  http: "function",
  maxMessageBytes: true,
  maxJsonDepth: true,
  maxJsonNodes: true,
  acceptTimeoutMs: true,
  closeTimeoutMs: true,
  streams: "object",
  onError: "function",
};

const STREAM_OPTIONS: OptionTable<StreamOptions> = {
  maxAttempts: true,
  initialDelayMs: true,
  maxDelayMs: true,
  maxRetryMs: true,
  wait: "function",
  random: "function",
};

/** @throws {SdkError} `invalid-argument` for an unknown option, and for a count or a duration out of range. */
export function checkHttpClientOptions(options: HttpClientOptions): void {
  checkOptions("HTTP connection", options, OPTIONS);
  const { maxMessageBytes, maxJsonDepth, maxJsonNodes, acceptTimeoutMs, closeTimeoutMs, streams = {} } = options;
  checkOptions("streams", streams, STREAM_OPTIONS);
  for (const [name, value = 1] of Object.entries({ maxMessageBytes, maxJsonDepth, maxJsonNodes, acceptTimeoutMs })) {
    checkNumber(name, value, 1);
  }
  if (closeTimeoutMs !== undefined) checkNumber("closeTimeoutMs", closeTimeoutMs, 0);
  const { maxAttempts, initialDelayMs, maxDelayMs, maxRetryMs } = streams;
  for (const [name, value = 0] of Object.entries({ maxAttempts, initialDelayMs, maxDelayMs, maxRetryMs })) {
    checkNumber(`streams.${name}`, value, 0);
  }
}

export const DEFAULT_ACCEPT_TIMEOUT_MS = 30_000;
export const DEFAULT_CLOSE_TIMEOUT_MS = 2_000;
