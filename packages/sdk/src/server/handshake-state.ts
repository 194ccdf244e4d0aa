/** The state of one legacy connection after its handshake. Plain JSON, so that a session store can keep it. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import type { Envelope } from "../era/era-codec.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { LoggingLevel } from "../protocol/logging.js";
import type { Era, Revision } from "../protocol/revisions.js";
import type { ConnectionRestrictions } from "./client-features.js";

/** The state of a legacy connection after its handshake. A host can store it, and restore it in another process. */
export interface HandshakeState {
  /** The client and the negotiated revision. */
  readonly envelope: Envelope;
  /** The server capabilities in the answer to `initialize`. */
  readonly announced: ServerCapabilities;
  /** Whether the client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  readonly logLevel: LoggingLevel;
  /** The URIs that the client has subscribed to. */
  readonly watched: readonly string[];
}

/** Options of a connection, set by its host. */
export interface AcceptOptions {
  /** Revisions that the host serves, newest first. @defaultValue those of the server */
  readonly revisions?: readonly Revision[] | undefined;
  /** The era of every request, if the host has decided it. @defaultValue decided per request by its params */
  readonly era?: Era | undefined;
  /** Restores the state of an earlier connection of the same legacy client. @defaultValue none */
  readonly handshake?: HandshakeState | undefined;
  /** The authenticated principal of the connection. @defaultValue none */
  readonly principal?: string | undefined;
  /** Messages that the connection cannot carry. @defaultValue none */
  readonly restrictions?: ConnectionRestrictions | undefined;
  /** Called with every handler exception that callers must not read: see error-mapping.ts. @defaultValue none */
  readonly onHandlerError?: ((error: unknown, request: InboundRequest) => void) | undefined;
}

/** The receiving half of one connection to a server. */
export interface AcceptedConnection extends Receiver {
  /** Undefined until a legacy handshake has succeeded. */
  readonly handshake: HandshakeState | undefined;
  /** The bytes that the server retains for the client on this connection. */
  readonly retainedBytes: number;
  /** Increments whenever `handshake` changes. */
  readonly handshakeVersion: number;
  /** Replaces the state of a completed handshake by that of another process. @throws {ProtocolError} 429 if it takes too many bytes. */
  adopt(handshake: HandshakeState, principal: string | undefined): void;
  /** Sets whether this connection notifies the client of changes, rather than that of another process of its session. */
  notifyChanges(isOn: boolean): void;
  /** Notifies the client of everything that it subscribed to, since changes may have been missed. */
  notifyMissed(): void;
}
