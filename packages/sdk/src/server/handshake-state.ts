/** What a legacy handshake, and the requests after it, have settled for one connection. Plain JSON: a store can keep it. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import type { Envelope } from "../era/era-codec.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { LoggingLevel } from "../protocol/logging.js";
import type { Era, Revision } from "../protocol/revisions.js";
import type { ConnectionRestrictions } from "./client-features.js";

export interface HandshakeState {
  /** Who the client is, and the revision that was settled on. */
  readonly envelope: Envelope;
  /** What the server told the client that it can do. */
  readonly announced: ServerCapabilities;
  /** Whether the client has said that it is ready. */
  readonly isReady: boolean;
  readonly logLevel: LoggingLevel;
  /** The resources whose updates the client wants to hear of. */
  readonly watched: readonly string[];
}

/** What a host says of a connection. */
export interface AcceptOptions {
  /** Revisions that the host serves, newest first. @defaultValue those of the server */
  readonly revisions?: readonly Revision[] | undefined;
  /** The era of every request, where the host has decided it. @defaultValue each request tells by its params */
  readonly era?: Era | undefined;
  /** Takes up where an earlier connection of the same legacy client left off. @defaultValue none */
  readonly handshake?: HandshakeState | undefined;
  /** Whose connection it is. @defaultValue nobody is authenticated */
  readonly principal?: string | undefined;
  /** What the host cannot carry. @defaultValue it carries everything */
  readonly restrictions?: ConnectionRestrictions | undefined;
  /** Called with every exception of a handler that its caller is not meant to read. @defaultValue none */
  readonly onHandlerError?: ((error: unknown, request: InboundRequest) => void) | undefined;
}

/** The receiving half of one connection to a server. */
export interface AcceptedConnection extends Receiver {
  /** Undefined until a legacy handshake has succeeded. */
  readonly handshake: HandshakeState | undefined;
  /** The bytes that the client has left behind on this connection. */
  readonly retainedBytes: number;
  /** Grows whenever `handshake` changes. */
  readonly handshakeVersion: number;
}
