/**
 * HTTP transport with fallback: Streamable HTTP first, then HTTP+SSE if the server refuses the handshake with 400, 404 or
 * 405, as a server without Streamable HTTP does.
 */
import { warnDeprecated } from "../../protocol/deprecations.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport.js";
import type { HeaderFields } from "./endpoint-client.js";
import type { SendHttp } from "./http-call.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { asSdkError, HttpError } from "./http-error.js";
import { methodOf } from "./message-headers.js";
import { SseClientTransport } from "./sse-client-transport.js";
import { StreamableHttpTransport } from "./streamable-http-transport.js";

/** Statuses with which a server without Streamable HTTP answers a POST. */
const NO_SUCH_ENDPOINT: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * A connection over HTTP, as `Client.connect` opens it for a URL. Use it where the program needs the transport itself, for
 * example to record messages.
 *
 * @example
 * const transport = recordTransport(new HttpTransport("https://mcp.example.com/mcp"), (direction) => console.error(direction));
 * await using client = await Client.connect(transport, { name: "cli", version: "1.0.0" });
 */
export class HttpTransport implements Transport {
  readonly carriesHeaders = true;
  readonly #url: string | URL;
  readonly #options: HttpClientOptions;
  /** A `fetch` or `http` option may add credentials that this transport does not see. */
  readonly #hidesCredentials: boolean;
  readonly #streamable: StreamableHttpTransport;
  #sse: SseClientTransport | undefined;
  /** The HTTP+SSE transport while its stream is being opened. */
  #openingSse: SseClientTransport | undefined;
  #isClosed = false;
  #receiver: TransportReceiver | undefined;

  /**
   * `http` makes the requests unless the options have a `fetch` or an `http`.
   * @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials.
   */
  constructor(url: string | URL, options: HttpClientOptions = {}, http?: SendHttp) {
    this.#url = url;
    const isOwn = (options.fetch ?? options.http) !== undefined;
    this.#hidesCredentials = isOwn && options.authorization === undefined;
    this.#options = isOwn ? options : { ...options, http };
    this.#streamable = new StreamableHttpTransport(url, this.#options);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#streamable.start(receiver);
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions): Promise<void> {
    if (this.#sse !== undefined) return this.#sse.send(message, options);
    const sent = this.#streamable.send(message, options);
    return methodOf(message) === "initialize"
      ? sent.catch((error) => this.#sendOverSse(error, message, options))
      : sent;
  }

  delayCause(id: RequestId): Error | undefined {
    return this.#streamable.delayCause(id);
  }

  /** Undefined if a `fetch` or `http` option may add headers. */
  async connectionHeaders(): Promise<HeaderFields | undefined> {
    return this.#hidesCredentials ? undefined : this.#streamable.endpoint.connectionHeaders();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#openingSse?.close();
    await (this.#sse ?? this.#streamable).close();
  }

  /** Falls back to HTTP+SSE. @throws the refusal of the handshake if the fallback does not apply. */
  async #sendOverSse(
    error: unknown,
    message: JsonRpcMessage | readonly JsonRpcMessage[],
    options: SendOptions | undefined,
  ): Promise<void> {
    if (this.#isClosed || !(error instanceof HttpError) || !NO_SUCH_ENDPOINT.has(error.status)) throw error;
    const sse = await this.#connectSse(error);
    await sse.send(message, options);
  }

  async #connectSse(refused: HttpError): Promise<SseClientTransport> {
    const sse = new SseClientTransport(this.#url, this.#options);
    this.#openingSse = sse;
    try {
      await sse.start(this.#receiver as TransportReceiver);
    } catch (cause) {
      // The stream exists and asks for authorization, which the user can fix.
      const isUnauthorized = cause instanceof HttpError && (cause.status === 401 || cause.status === 403);
      if (this.#isClosed || isUnauthorized) throw cause;
      const { status, wwwAuthenticate, retryAfterMs } = refused;
      const { message: why } = asSdkError("http-error", "the GET failed", cause);
      const message = `${refused.message}. It does not serve the older HTTP+SSE transport either: ${why}`;
      throw new HttpError(message, { status, wwwAuthenticate, retryAfterMs, cause });
    }
    warnDeprecated("HTTP_SSE");
    this.#streamable.stop();
    this.#sse = sse;
    this.#openingSse = undefined;
    return sse;
  }
}
