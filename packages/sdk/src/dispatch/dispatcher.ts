/**
 * The dispatcher interface, between transports and the client or server. A dispatcher matches answers to requests and owns
 * ids, timeouts, cancellation and progress. It knows no revisions. Of the methods it knows `initialize`,
 * `server/discover` and `subscriptions/listen`. json-rpc-dispatcher.ts implements it over a transport, direct-dispatcher.ts
 * in process without serializing.
 */
import type { JsonObject } from "../runtime/json.js";
import type { Caller } from "../transport/caller.js";
import type { JsonRpcMessage, RequestId } from "../wire/json-rpc.js";
import type { RequestLimits } from "./request-limits.js";

export type { RequestId } from "../wire/json-rpc.js";

/** A progress report of the other side. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options of one request: its timeout, its signal, and the callback for progress. */
export interface RequestOptions {
  /**
   * The id of the request. Rejected while a request with the same id is pending; `7` and `"7"` are the same. In the legacy
   * era, also rejected if it was used before, or is a number below one that was used.
   * @defaultValue none
   */
  readonly id?: RequestId;
  /** Aborts the call: it rejects, and the peer is told to stop. @defaultValue none */
  readonly signal?: AbortSignal;
  /**
   * Reject if no answer arrives for this long. Above 0; `Infinity` never rejects.
   * @defaultValue the connection's timeoutMs
   */
  readonly timeoutMs?: number;
  /** Restart the timeout whenever progress arrives. @defaultValue false */
  readonly resetTimeoutOnProgress?: boolean;
  /** Total time limit with `resetTimeoutOnProgress`. Progress does not extend it. @defaultValue 3_600_000 */
  readonly maxTimeoutMs?: number;
  /** Asks the peer for progress, and is called with each report, in order, until the request settles. @defaultValue none */
  readonly onProgress?: (progress: ProgressReport) => void;
  /** HTTP only: headers of the request, in addition to those of the protocol and the connection. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * HTTP only: headers that replace the connection's `headers` for this request.
   * @defaultValue none
   */
  readonly connectionHeaders?: Readonly<Record<string, string>>;
}

/** The sending half of a connection. */
export interface Sender {
  /** @throws {ProtocolError} the peer's error answer. @throws {SdkError} timeout, abort, closed connection, id in use. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
}

/**
 * One inbound request. `request` and `notify` send messages that belong to it. Once it is settled, both reject with
 * `context-ended`, and its unanswered requests are cancelled.
 */
export interface InboundRequest extends Sender {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** Aborts when the peer cancels or the connection closes. */
  readonly signal: AbortSignal;
  /** The sender, if the host knows it. */
  readonly caller?: Caller | undefined;
  /** True once the request is answered, cancelled, or aborted with its connection. */
  readonly isSettled: boolean;
  /**
   * Replaces the params by their `_meta` and `kept`, and stops counting the bytes of the message. For a handler that runs long
   * and counts what it retains. Has no effect in process, where the params belong to the client.
   */
  releaseParams?(kept: JsonObject): void;
}

/** The receiving half of a connection: a client or a server implements it to handle inbound messages. */
export interface Receiver {
  request(inbound: InboundRequest): JsonObject | Promise<JsonObject>;
  notification(method: string, params: JsonObject | undefined): void | Promise<void>;
  /** Whether batches are accepted. True only in revision 2025-03-26. */
  readonly acceptsBatches?: boolean;
  /** Whether the peer must not send requests. Requests and invalid messages are then reported and never answered. */
  readonly refusesRequests?: boolean;
  /** Discards the previous handshake when another `initialize` arrives. False if there was none. */
  startOver?(params: JsonObject | undefined): boolean;
  /** Whether a request needs no handshake, so that another handshake does not abort it. True for modern requests. */
  isStateless?(params: JsonObject | undefined): boolean;
  /** The connection has closed. Called once. */
  closed?(): void;
}

/** The sending half of a connection: requests, notifications, batches, and its end. */
export interface Dispatcher extends Sender {
  /** Whether a request with the id was sent before. The dispatcher remembers a bounded number of ids. */
  hasIssued?(id: RequestId): boolean;
  readonly isClosed: boolean;
  /** Whether requests carry HTTP headers. */
  readonly carriesHeaders: boolean;
  /** The headers that the connection adds to a request sent now; undefined if the transport does not know them. */
  connectionHeaders?(): Promise<Readonly<Record<string, string>> | undefined>;
  /** Sends several requests as one batch over a transport. Each request settles by itself. */
  requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]>;
  /** Rejects pending requests, aborts requests that are being served, and closes the transport. */
  close(): Promise<void>;
}

/** One request of a batch. */
export interface BatchCall {
  readonly method: string;
  readonly params?: JsonObject;
  readonly options?: RequestOptions;
}

/** Creates the receiving half from the sending half. Called once per connection, before the first message. */
export type AcceptConnection = (dispatcher: Dispatcher) => Receiver;

/** Options of a connection: timeouts, limits, and the report of errors. */
export interface DispatcherOptions {
  /** Timeout of requests without their own `timeoutMs`. @defaultValue 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Messages in one inbound batch. @defaultValue 100 */
  readonly maxBatchItems?: number | undefined;
  /** Whether the connection belongs to a session. Another `initialize` then does not restart it. @defaultValue false */
  readonly hasSession?: boolean | undefined;
  /** Begins the ids of outbound requests, so that no other process of the session issues the same. @defaultValue none */
  readonly idPrefix?: string | undefined;
  /**
   * Called with an answer, a cancellation or progress of a request that this dispatcher does not know: another process of the
   * session may. @defaultValue none: unknown answers are reported
   */
  readonly forward?: ((message: JsonRpcMessage) => void) | undefined;
  /** Limits on the requests in progress. @defaultValue none */
  readonly limits?: RequestLimits | undefined;
  /** Called with errors that no call rejects with. @defaultValue none */
  readonly onError?: (error: Error) => void;
  /** Called once, after the connection has ended. @defaultValue none */
  readonly onClosed?: (() => void) | undefined;
}

/** The part of `ServerHosting` that an in-process client needs. */
export interface ConnectionEntry {
  /** Creates the receiver of one connection. */
  readonly accept: AcceptConnection;
  /** Options for the dispatcher of a connection. */
  readonly dispatcherOptions: DispatcherOptions;
}

export const DEFAULT_TIMEOUT_MS = 60_000;
/** A batch is answered as a whole, so the answers of all its items are held in memory together. */
export const DEFAULT_MAX_BATCH_ITEMS = 100;
