/** The `Transport` interface: sends and receives JSON-RPC messages. Knows no methods and no revisions. */
import type { JsonRpcMessage, RequestId } from "../wire/json-rpc.js";
import type { Caller } from "./caller.js";

/** Bytes of one message that a client accepts, over every transport. Base64 makes images in messages a third larger. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

/** Options of one message, for transports with headers or several streams. */
export interface SendOptions {
  /**
   * Id of the inbound request that this message belongs to, for transports with a stream per request. Not set for answers.
   * @defaultValue none
   */
  readonly relatedTo?: RequestId;
  /** Headers of this message, for transports that have headers. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers to use instead of the result of `connectionHeaders`. @defaultValue none */
  readonly connectionHeaders?: Readonly<Record<string, string>>;
}

/** Receives the messages of a transport. Its methods do not throw, and must be called as methods. */
export interface TransportReceiver {
  /** Receives one parsed message, not classified yet. `caller` is set by transports whose callers differ by message. */
  receive(this: TransportReceiver, message: unknown, caller?: Caller): void;
  /**
   * Receives the error of bytes that are no message; the connection stays open. A ProtocolError is sent to the peer. An
   * SdkError is only reported, for bytes that the peer did not mean as a message. The request with the id `answers` rejects.
   */
  receiveUnparsable(this: TransportReceiver, error: Error, answers?: RequestId): void;
  /** A request of this side waits for a user to log in: its timeout is suspended until `until` settles. */
  held?(this: TransportReceiver, id: RequestId, until: Promise<unknown>): void;
  /** The connection is closed; `error` is the reason unless this side closed it. Called once, last. */
  closed(this: TransportReceiver, error?: Error): void;
}

type ConnectionHeaders = Readonly<Record<string, string>> | undefined;

/** Sends and receives parsed messages over one connection. */
export interface Transport {
  /** Whether messages carry headers, so that `headers` of SendOptions are sent. */
  readonly carriesHeaders?: boolean;
  /**
   * Headers that the connection adds to a message sent now; undefined if it does not know them all. Then, and without this
   * method, the client caches no private result.
   */
  connectionHeaders?(): ConnectionHeaders | Promise<ConnectionHeaders>;
  /** Begins delivery. Called once. */
  start(receiver: TransportReceiver): void | Promise<void>;
  /** Rejects if the message cannot be sent. An array is a batch. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions): void | Promise<void>;
  /** Called for a cancelled inbound request, which gets no answer. The transport may close the stream of the request. */
  unanswered?(id: RequestId): void;
  /** The last error that delayed the response to a request of this side, if known. */
  delayCause?(id: RequestId): Error | undefined;
  /** May be called again. */
  close(): void | Promise<void>;
}
