/** The context of a server's handlers: the request, and what its client said about itself. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import type { Envelope } from "../era/era-codec.js";
import { invalidParams, missingClientCapability } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { RequestContext } from "../routing/request-context.js";

/** What a context needs of the connection its request came over. */
export interface ConnectionState {
  /** Whether a legacy client has said that it is ready for requests. */
  readonly isReady: boolean;
}

export class ServerContext extends RequestContext {
  /** Self-reported and optional: for display and logs, not for decisions. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly #connection: ConnectionState;

  constructor(inbound: InboundRequest, envelope: Envelope, connection: ConnectionState) {
    super(inbound, envelope.revision, envelope.era);
    this.clientInfo = envelope.clientInfo;
    this.clientCapabilities = envelope.clientCapabilities;
    this.#connection = connection;
  }

  /**
   * Ends the request unless its client declared these capabilities, e.g. `{ sampling: {} }`.
   * @throws {ProtocolError} -32021 with `requiredCapabilities` in the modern era, -32602 in the legacy one.
   */
  requireCapabilities(required: ClientCapabilities): void {
    // Both are plain JSON objects; the comparison only looks at which members exist.
    const missing = missingMembers(required as JsonObject, this.clientCapabilities as JsonObject);
    if (!missing) return;
    const error = missingClientCapability(missing);
    throw this.era === "modern" ? error : invalidParams(error.message, error.data);
  }

  protected override refuseRequest(method: string): SdkError | undefined {
    if (this.era === "modern" || method === "ping" || this.#connection.isReady) return super.refuseRequest(method);
    return new SdkError("not-initialized", `${method}: the client has not sent notifications/initialized yet`);
  }
}

/** The members of `required`, at any depth, that `declared` lacks; undefined if it lacks none. */
function missingMembers(required: JsonObject, declared: JsonObject): JsonObject | undefined {
  const missing: JsonObject = {};
  for (const [key, wanted] of Object.entries(required)) {
    const given = Object.hasOwn(declared, key) ? declared[key] : undefined;
    if (given === undefined) missing[key] = wanted;
    else if (isJsonObject(wanted) && isJsonObject(given)) {
      const deeper = missingMembers(wanted, given);
      if (deeper) missing[key] = deeper;
    }
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}
