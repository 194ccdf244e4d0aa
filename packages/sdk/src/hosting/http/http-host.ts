/**
 * The host interface: one HTTP request and its response as the endpoint sees them. hosting/node implements it over
 * `node:http`, hosting/web over web-standard `fetch`; third parties may add others.
 */
import type { RequestLoad } from "../../dispatch/request-limits.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import type { SegmentedText } from "../../wire/preserialized-json.js";

/** A text, or a text in segments. */
export type HttpBody = string | SegmentedText;

/** Headers by their names in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** One HTTP request, as its host provides it. */
export interface HttpRequest {
  readonly method: string;
  /** Whether the request arrived over loopback; true if the host cannot tell. */
  readonly isLocal: boolean;
  /** Address of the client; of an IPv6 address, the first 64 bits. Undefined if the host cannot tell. */
  readonly address?: string | undefined;
  /** Full URL, from the `Host` header and the connection. Behind a proxy, the client may have used another URL. */
  readonly url: string;
  /** Without the query. */
  readonly path: string;
  /** The part after the question mark, or "". */
  readonly query: string;
  /** The value of a header, by its name in lower case. Repeated headers are joined by a comma. */
  header(name: string): string | undefined;
  /** All headers; names in lower case. */
  headers(): HttpHeaders;
  /**
   * Reads the body. Calls `onText` with its text and its size, or `onFailure` with an HttpRefusal: 413 over the limit, 400 for invalid
   * UTF-8, 408 for a slow body, 429 over a byte limit. May call back synchronously.
   * @param encoding `latin1` makes each byte one character, for bodies that may be binary; UTF-8 by default
   */
  readBody(
    maxBytes: number,
    principal: string | undefined,
    onText: (text: string, bytes: number) => void,
    onFailure: (error: unknown) => void,
    encoding?: "utf8" | "latin1",
  ): void;
  /** Tells the host the principal of the request, for the host's own limits. */
  setPrincipal?(principal: string | undefined): void;
  /** The body, if a framework has parsed it. `readBody` is then not called. */
  readonly parsedBody?: unknown;
  /** Counts the requests in progress on the connection. Undefined if the host cannot tell connections apart. */
  readonly connection?: RequestLoad | undefined;
  /** Whether the client has disconnected. */
  readonly isDisconnected: boolean;
  /** Calls `listener` once if the client disconnects before the response has ended; immediately if it has disconnected. */
  onDisconnect(listener: () => void): void;
}

/** The endpoint calls either `send` or `stream`, once. Neither throws if the client has disconnected. */
export interface HttpResponse {
  /** The body is a text in UTF-8, or bytes for a response of `routes`. */
  send(status: number, headers: HttpHeaders, body?: HttpBody | Uint8Array): void;
  /** Receives an error answer before it is sent, so that refusals by a limit can be reported. */
  refused?(answer: JsonRpcAnswer): void;
  /** Answers 200 with an event stream. The host adds the media type and the headers against buffering by proxies. */
  stream(headers: HttpHeaders): EventSink;
}

/** An open event stream to a client. */
export interface EventSink {
  /** Queues text. False if the client has disconnected, or its queue is full; a full queue closes the stream. */
  write(text: string): boolean;
  /** Ends the stream after the queued text. May be called again. */
  end(): void;
  /**
   * Undefined if the client keeps up. Otherwise resolves once the client has caught up or disconnected. The host disconnects
   * a client that reads nothing for `stallTimeoutMs`.
   */
  drained?(): Promise<void> | undefined;
}
