/** The `Transport` interface: sends and receives JSON-RPC messages. Knows no methods and no revisions. */
import type { JsonRpcMessage, RequestId } from "../wire/json-rpc.js";
import type { Caller } from "./caller.js";

/** Bytes of one message that a client accepts, over every transport. Base64 makes pictures a third larger. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

export interface SendOptions {
  /**
   * The inbound request this message belongs to, for transports with a stream per request. Answers carry their own id.
   * @defaultValue none
   */
  readonly relatedTo?: RequestId;
  /** Headers that go with this message, for transports that have headers. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers to use instead of the result of `connectionHeaders`. @defaultValue none */
  readonly connectionHeaders?: Readonly<Record<string, string>>;
}

/** Receives from a transport. Its methods do not throw. They need their `this`. */
export interface TransportReceiver {
  /** One parsed message that is not classified yet. `caller` is set where it differs from message to message. */
  receive(this: TransportReceiver, message: unknown, caller?: Caller): void;
  /**
   * Bytes that are no message; the connection stays open. A ProtocolError is sent as the answer. An SdkError is only reported,
   * for bytes that the peer did not mean as a message. The request with the id `answers` rejects with the error.
   */
  receiveUnparsable(this: TransportReceiver, error: Error, answers?: RequestId): void;
  /** A request of this side waits for a user to log in: its timeout is suspended until `until` settles. */
  held?(this: TransportReceiver, id: RequestId, until: Promise<unknown>): void;
  /** The connection is closed; `error` is the reason unless this side closed it. Called once, last. */
  closed(this: TransportReceiver, error?: Error): void;
}

type ConnectionHeaders = Readonly<Record<string, string>> | undefined;

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
  /** A cancelled inbound request gets no answer: the transport may close the stream that waits for it. */
  unanswered?(id: RequestId): void;
  /** The last error that delayed the response to a request of this side, if known. */
  troubleWith?(id: RequestId): Error | undefined;
  /** May be called again. */
  close(): void | Promise<void>;
}
