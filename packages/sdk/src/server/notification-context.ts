/** The context of a server's notification handler: the sender, and `listRoots`, the one request that it can send. */
import type { RequestOptions, Sender } from "../dispatch/dispatcher.js";
import type { Envelope } from "../era/era-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { Era, Revision } from "../protocol/revisions.js";
import type { Root } from "../protocol/roots.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { type ClientFeature, type ConnectionRestrictions, clientCan, requireOfClient } from "./client-features.js";
import { rootsQuestion } from "./input/questions.js";

/** The connection that a notification arrived on. */
export interface NotifiedConnection {
  readonly isReady: boolean;
  readonly restrictions: ConnectionRestrictions;
  /** Whether the session of this handshake is still the current one. */
  hasSession(envelope: Envelope): boolean;
}

/** The context of a handler for notifications of clients. */
export class NotificationContext {
  readonly method: string;
  readonly revision: Revision;
  readonly era: Era;
  /** Self-reported and optional. Undefined in the modern era, whose notifications do not name their client. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly #envelope: Envelope;
  readonly #connection: NotifiedConnection;
  readonly #restrictions: ConnectionRestrictions;
  readonly #client: Pick<Sender, "request">;

  constructor(method: string, envelope: Envelope, connection: NotifiedConnection, client: Pick<Sender, "request">) {
    this.method = method;
    this.revision = envelope.revision;
    this.era = envelope.era;
    this.clientInfo = envelope.clientInfo;
    this.clientCapabilities = envelope.clientCapabilities;
    this.#envelope = envelope;
    this.#connection = connection;
    // `listRoots` belongs to no request, so it goes over the GET stream. `jsonResponses` restricts only questions of requests.
    this.#restrictions = connection.restrictions.forgetsClient ? connection.restrictions : {};
    this.#client = client;
  }

  /** Whether the client declared the capability, and the connection carries its questions. */
  canAsk(this: NotificationContext, feature: ClientFeature): boolean {
    return clientCan(feature, this, this.#restrictions);
  }

  /**
   * Asks a legacy client for its roots, for example after they have changed.
   * @deprecated since 2026-07-28 (SEP-2577): take them as arguments. Earliest removal: 2027-07-28.
   * @throws {ProtocolError} -32602 when the client does not support it, -32603 when the connection cannot carry it.
   * @throws {SdkError} `method-not-in-revision` in the modern era, `not-initialized` before `notifications/initialized`,
   * `context-ended` after another handshake on the connection.
   */
  listRoots(this: NotificationContext, options: Pick<RequestOptions, "timeoutMs" | "signal"> = {}): Promise<Root[]> {
    return markHandled(this.#listRoots(options));
  }

  async #listRoots(options: RequestOptions): Promise<Root[]> {
    const { request, read } = rootsQuestion({});
    if (this.era === "modern") {
      const complaint = `${request.method}: protocol revision ${this.revision} has no requests to the client`;
      throw new SdkError("method-not-in-revision", complaint);
    }
    requireOfClient({ roots: {} }, this, this.#restrictions);
    if (!this.#connection.isReady) {
      throw new SdkError("not-initialized", `${request.method}: the client has not sent notifications/initialized yet`);
    }
    if (!this.#connection.hasSession(this.#envelope)) {
      throw new SdkError("context-ended", `${request.method}: another client has begun a conversation since`);
    }
    return read(await this.#client.request(request.method, undefined, options));
  }
}
