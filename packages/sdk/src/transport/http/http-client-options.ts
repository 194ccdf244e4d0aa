/** Options of a connection over HTTP. */
import type { JsonLimits } from "../../wire/json-limits.js";
import type { Fetch } from "./fetch-http.js";
import type { SendHttp } from "./http-call.js";

export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Authorizes the HTTP calls of connections. One object may serve many connections and servers. */
export interface HttpAuthorization {
  /**
   * Wraps `http`, so that calls to the server at `url` carry its access token. A call that the server refuses for want of
   * authorization is sent again once there is a token. `fetch` is the connection's own, for calls to authorization servers.
   */
  authorize(url: URL, http: SendHttp, fetch: Fetch | undefined): SendHttp;
  /** Names the login that calls to `url` are made under, for caches. It holds no secret and changes with every login. */
  identity(url: URL): Promise<string>;
}

/** Makes HTTP connections on Node: an `Agent`, a `ProxyAgent` or any other dispatcher of the `undici` package. */
export interface HttpDispatcher {
  dispatch(options: object, handler: object): boolean;
}

export interface HttpClientOptions extends JsonLimits {
  /**
   * Headers for every HTTP request of the connection. The client calls a function before each request. These headers do
   * not replace those of the protocol.
   * @defaultValue none
   */
  readonly headers?: HeaderSource | undefined;
  /**
   * Logs in where the server asks for it, and adds the access token to every HTTP request, in the place of an
   * `authorization` header of `headers`. `oauth` of `parley-mcp/oauth` makes one.
   * @defaultValue none: the connection rejects as the server answers
   */
  readonly authorization?: HttpAuthorization | undefined;
  /** Makes all HTTP requests. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
  /** Makes all HTTP requests at a lower level, instead of `fetch`. @defaultValue the platform's HTTP client */
  readonly http?: SendHttp | undefined;
  /** Bytes of one message from the server: a response body or one event. @defaultValue 16_777_216 */
  readonly maxMessageBytes?: number | undefined;
  /** Time that the server has to accept a message without an answer, or to name its endpoint. @defaultValue 30_000 */
  readonly acceptTimeoutMs?: number | undefined;
  /** Time that `close` waits for the server to end the session. @defaultValue 2_000 */
  readonly closeTimeoutMs?: number | undefined;
  /** Attempts to resume the lost streams of a legacy session. @defaultValue the defaults of `StreamOptions` */
  readonly streams?: StreamOptions | undefined;
  /**
   * Called with every error that no call rejects with: a stream that stays lost, an unreadable event, a session that could
   * not be ended.
   * @defaultValue none
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface StreamOptions {
  /** Attempts in a row without an event before the client gives the stream up. 0 never resumes. @defaultValue 8 */
  readonly maxAttempts?: number | undefined;
  /**
   * Wait before the first attempt, unless the server names one (`retry:`). It doubles with each.
   * @defaultValue 1_000
   */
  readonly initialDelayMs?: number | undefined;
  /** Longest wait, unless the server names a longer one. A quarter is added at random. @defaultValue 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** Longest wait that the server may name. The client gives up a stream whose server names a longer one. @defaultValue 600_000 */
  readonly maxRetryMs?: number | undefined;
  /** Waits before an attempt. Rejects or resolves early when `signal` aborts. @defaultValue a timer */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 up to 1, to spread the attempts of many clients. @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
}

export const DEFAULT_ACCEPT_TIMEOUT_MS = 30_000;
export const DEFAULT_CLOSE_TIMEOUT_MS = 2_000;
