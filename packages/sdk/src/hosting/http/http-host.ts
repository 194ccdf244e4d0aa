/**
 * One HTTP request and its response as the endpoint sees them, whichever host received it. Two hosts implement this:
 * node:http and web-standard `fetch`. Nothing below this seam knows which one it is.
 */
import type { RequestLoad } from "../../dispatch/request-limits.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import type { SegmentedText } from "../../wire/preserialized-json.js";

/** A text, or its pieces. */
export type Body = string | SegmentedText;

export type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: string;
  /** It came in over loopback, or the host cannot tell. */
  readonly isLocal: boolean;
  /** Where it came from, of IPv6 the first 64 bits; undefined if the host cannot tell. */
  readonly address?: string | undefined;
  /** All of it, as the `Host` header and the connection tell; a proxy may have been asked for another one. */
  readonly url: string;
  /** Without the query. */
  readonly path: string;
  /** What follows the question mark, or nothing. */
  readonly query: string;
  /** One header; the name in lower case. Repeated ones are joined by a comma. */
  header(name: string): string | undefined;
  /** All of them; names in lower case. */
  headers(): Headers;
  /**
   * Hands over the body as text, or fails: with an HttpRefusal of 413 over the limit, 400 for invalid UTF-8, 408 when it
   * takes too long, 429 when there is no room for its bytes. Callbacks, since most bodies are there at once, and what a
   * promise brings is not.
   */
  readBody(
    maxBytes: number,
    principal: string | undefined,
    onText: (text: string) => void,
    onFailure: (error: unknown) => void,
  ): void;
  /** Tells the host whose request it is, once that is known, for the limits that the host keeps. */
  belongsTo?(principal: string | undefined): void;
  /** The body as a framework has parsed it already; then `readBody` is not called. */
  readonly parsedBody?: unknown;
  /** Counts the requests in progress of the connection it came over, where the host knows that. */
  readonly connection?: RequestLoad | undefined;
  /** The client has gone away, and no response reaches it. */
  readonly isGone: boolean;
  /** Calls back once if the client goes away before the response has ended; at once if it has gone already. */
  onDisconnect(listener: () => void): void;
}

/** Either `send` or `stream` is called, once. Neither throws when the client has gone. */
export interface HttpResponse {
  send(status: number, headers: Headers, body?: Body): void;
  /** Hears of an answer by which a limit refuses the request, before it is sent. */
  refused?(answer: JsonRpcAnswer): void;
  /** Answers 200 with an event stream; its media type and what keeps proxies from buffering it need not be given. */
  stream(headers: Headers): EventSink;
}

export interface EventSink {
  /** Queues text. False when the client is gone or read too slowly for the queue's bound; then it is closed. */
  write(text: string): boolean;
  /** Ends the stream after what is queued. May be called again. */
  end(): void;
  /**
   * Where the client reads more slowly than this side writes: settles once it has caught up, or is gone. A client that
   * takes nothing for the time of the stall limit meanwhile is disconnected.
   */
  drained?(): Promise<void> | undefined;
}
