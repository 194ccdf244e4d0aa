/** Moving messages and nothing else. A transport knows no methods and no revisions. */
import type { JsonRpcMessage } from "../wire/json-rpc.js";

export interface SendOptions {
  /** The inbound request this message belongs to, for transports with a stream per request. Answers carry their own id. */
  readonly relatedTo?: string | number;
}

/** Where a transport delivers. None of its methods throws. */
export interface TransportReceiver {
  /** One message, parsed but not yet classified. */
  receive(message: unknown): void;
  /** Bytes that are no message at all; the connection goes on. A ProtocolError's code is what gets answered. */
  receiveUnparsable(error: Error): void;
  /** The connection is gone; `error` says why if it was not asked for. Called once, last. */
  closed(error?: Error): void;
}

export interface Transport {
  /** Begins delivery. Called once. */
  start(receiver: TransportReceiver): void | Promise<void>;
  /** Rejects if the message cannot be handed over. An array is a batch. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions): void | Promise<void>;
  /** May be called again. */
  close(): void | Promise<void>;
}
