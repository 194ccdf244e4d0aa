/** Moving messages and nothing else. A transport knows no methods and no revisions. */
import type { JsonRpcMessage, RequestId } from "../wire/json-rpc.js";
import type { Caller } from "./caller.js";

/** Bytes of one message that a client accepts, over every transport. Base64 makes pictures a third larger. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

export interface SendOptions {
  /** The inbound request this message belongs to, for transports with a stream per request. Answers carry their own id. */
  readonly relatedTo?: RequestId;
  /** Headers that go with this message, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers in the place of those that `connectionHeaders` would give for this message. */
  readonly connectionHeaders?: Readonly<Record<string, string>>;
}

/** Where a transport delivers. None of its methods throws; each is to be called on its receiver, not by itself. */
export interface TransportReceiver {
  /** One message, parsed but not yet classified, and who sent it where that differs from message to message. */
  receive(this: TransportReceiver, message: unknown, caller?: Caller): void;
  /**
   * Bytes that are no message at all; the connection goes on. A ProtocolError's code is what gets answered; an SdkError is
   * reported and nothing more, for what the peer did not mean as a message. If they answer a request, that rejects with it.
   */
  receiveUnparsable(this: TransportReceiver, error: Error, answers?: RequestId): void;
  /** The answer to a request of this side waits for the user, who logs in: its time stands still until `until` settles. */
  held?(this: TransportReceiver, id: RequestId, until: Promise<unknown>): void;
  /** The connection is gone; `error` says why if it was not asked for. Called once, last. */
  closed(this: TransportReceiver, error?: Error): void;
}

type ConnectionHeaders = Readonly<Record<string, string>> | undefined;

export interface Transport {
  /** Whether messages travel with headers, so that `headers` of SendOptions go somewhere. */
  readonly carriesHeaders?: boolean;
  /**
   * Headers that the connection adds to a message sent now; undefined if it does not know them all. Nothing private is
   * cached for its client then, nor without this method.
   */
  connectionHeaders?(): ConnectionHeaders | Promise<ConnectionHeaders>;
  /** Begins delivery. Called once. */
  start(receiver: TransportReceiver): void | Promise<void>;
  /** Rejects if the message cannot be handed over. An array is a batch. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions): void | Promise<void>;
  /** An inbound request will never be answered, since it was cancelled: what waits for the answer may end. */
  unanswered?(id: RequestId): void;
  /** What keeps the answer to a request of this side from arriving, where that is known. */
  troubleWith?(id: RequestId): Error | undefined;
  /** May be called again. */
  close(): void | Promise<void>;
}
