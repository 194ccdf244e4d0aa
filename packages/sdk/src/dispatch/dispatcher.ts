/**
 * The interface between transports and the client or server. A dispatcher matches answers to requests and owns ids,
 * timeouts, cancellation and progress. It knows neither revisions nor methods. Two implementations:
 * over a transport (json-rpc-dispatcher.ts) and in process without serializing (direct-dispatcher.ts).
 */
import type { JsonObject } from "../runtime/json.js";
import type { Caller } from "../transport/caller.js";
import type { RequestId } from "../wire/json-rpc.js";
import type { RequestLimits } from "./request-limits.js";

export type { RequestId } from "../wire/json-rpc.js";

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestOptions {
  /**
   * An id of the caller's choosing; refused while a request with the same id (as text) is pending. The legacy era refuses one
   * that was used before, and numbers below one that was used.
   * @defaultValue none
   */
  readonly id?: RequestId;
  /** Aborting it rejects the call and tells the peer to stop. @defaultValue none */
  readonly signal?: AbortSignal;
  /**
   * Reject if no answer arrives for this long, above 0. `Infinity` never rejects.
   * @defaultValue the connection's timeoutMs
   */
  readonly timeoutMs?: number;
  /** Restart the timeout whenever progress arrives. @defaultValue false */
  readonly resetTimeoutOnProgress?: boolean;
  /** Longest wait in all with `resetTimeoutOnProgress`, however much progress arrives. @defaultValue 3_600_000 */
  readonly maxTimeoutMs?: number;
  /** Asks the peer for progress and receives it, in order, until the request settles. @defaultValue none */
  readonly onProgress?: (progress: Progress) => void;
  /** HTTP only: headers that go with the request besides those of the protocol and the connection. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * HTTP only: headers in the place of those that the connection's `headers` would give for this request.
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
 * One request as its receiver sees it. What it sends relates to that request and ends with it: afterwards `request` and
 * `notify` reject with `context-ended` and send nothing, and requests still unanswered are given up.
 */
export interface InboundRequest extends Sender {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** Aborts when the peer cancels or the connection closes. */
  readonly signal: AbortSignal;
  /** Who sent it, where the host can tell. */
  readonly caller?: Caller | undefined;
  /** True once the request was answered, cancelled or cut off: nothing can be sent for it any more. */
  readonly isSettled: boolean;
}

/** The receiving half: a client or a server handles inbound messages with it. */
export interface Receiver {
  request(inbound: InboundRequest): JsonObject | Promise<JsonObject>;
  notification(method: string, params: JsonObject | undefined): void | Promise<void>;
  /** Whether an array of messages is acceptable right now (2025-03-26 alone). */
  readonly acceptsBatches?: boolean;
  /** Whether requests are out of place: they, and what is no message, are dropped and reported but never answered. */
  readonly refusesRequests?: boolean;
  /** Forgets the handshake before this one; false if there was none, and nothing has to be cut off. */
  startOver?(params: JsonObject | undefined): boolean;
  /** Whether a request belongs to no handshake, so that another handshake does not end it. */
  standsAlone?(params: JsonObject | undefined): boolean;
  /** The connection is gone. Called once. */
  closed?(): void;
}

export interface Dispatcher extends Sender {
  /** Whether a request went out under the id before, as far as is remembered. */
  hasIssued?(id: RequestId): boolean;
  readonly isClosed: boolean;
  /** Whether requests travel with headers. */
  readonly carriesHeaders: boolean;
  /** The headers that the connection adds to a request right now; undefined if its transport does not tell. */
  connectionHeaders?(): Promise<Readonly<Record<string, string>> | undefined>;
  /** Sends several requests as one message where the transport allows it; each settles on its own. */
  requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]>;
  /** Rejects everything pending, aborts everything being served, and closes what is underneath. */
  close(): Promise<void>;
}

export interface BatchCall {
  readonly method: string;
  readonly params?: JsonObject;
  readonly options?: RequestOptions;
}

/** Makes the receiving half, given the sending one. Called once per connection, before anything arrives. */
export type Accept = (dispatcher: Dispatcher) => Receiver;

export interface DispatcherOptions {
  /** Timeout of requests without their own `timeoutMs`. @defaultValue 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Messages in one inbound batch. @defaultValue 100 */
  readonly maxBatchItems?: number | undefined;
  /** The conversation belongs to a session, so another `initialize` does not start it over. @defaultValue false */
  readonly hasSession?: boolean | undefined;
  /** Limits on the requests in progress. Without it there are none. @defaultValue none */
  readonly limits?: RequestLimits | undefined;
  /** Where errors go that no caller waits for. @defaultValue none */
  readonly onError?: (error: Error) => void;
  /** Called once, after the connection has ended. @defaultValue none */
  readonly onClosed?: (() => void) | undefined;
}

/** The part of a server's entry for hosts that an in-process client needs. */
export interface ConnectionEntry {
  /** Creates the receiver of one connection. */
  readonly accept: Accept;
  /** Options for the dispatcher of a connection. */
  readonly dispatcherOptions: DispatcherOptions;
}

export const DEFAULT_TIMEOUT_MS = 60_000;
/** A batch is answered as a whole, so each item may hold back as much as the largest answer. */
export const DEFAULT_MAX_BATCH_ITEMS = 100;
