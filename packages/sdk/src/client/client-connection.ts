/** The receiving half of a client's connection: what a server sends on its own, and that the connection is gone. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { invalidParams, methodNotFound } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import { findNotification, findRequest, hasBatches, isSpecMethod } from "../protocol/method-table.js";
import { eraOf, LATEST_LEGACY_REVISION, LATEST_MODERN_REVISION, type Revision } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { RequestContext } from "../routing/request-context.js";
import type { Router } from "../routing/router.js";

export class ClientConnection implements Receiver {
  readonly #router: Router<RequestContext>;
  readonly #onClose: () => void;
  #revision: Revision | undefined;

  constructor(router: Router<RequestContext>, onClose: () => void) {
    this.#router = router;
    this.#onClose = onClose;
  }

  /** Called once, when negotiation has settled. */
  settle(revision: Revision): void {
    this.#revision = revision;
  }

  get acceptsBatches(): boolean {
    return this.#revision !== undefined && hasBatches(this.#revision);
  }

  /** A modern server asks inside its results; a request from it is nothing this client may answer. */
  get refusesRequests(): boolean {
    return this.#revision !== undefined && eraOf(this.#revision) === "modern";
  }

  async request(inbound: InboundRequest): Promise<JsonObject> {
    const { method } = inbound;
    const params = inbound.params ?? {};
    const revision = this.#revision ?? LATEST_LEGACY_REVISION;
    const spec = findRequest(revision, "server", method);
    if (!spec && isSpecMethod(method)) throw methodNotFound(method);
    const handler = this.#router.find(method);
    const fault = spec?.params(params);
    if (fault) throw invalidParams(explain(fault, "params"));
    const context = new RequestContext(inbound, revision, "legacy");
    // The dispatcher answers -32603 for a handler's result that is no object.
    return (await this.#router.routeRequest(handler, method, params, context)) as JsonObject;
  }

  async notification(method: string, params: JsonObject = {}): Promise<void> {
    const fault = findNotification(this.#revision ?? LATEST_MODERN_REVISION, "server", method)?.params(params);
    if (fault) throw new SdkError("invalid-message", `${method} was dropped: ${explain(fault, "params")}`);
    await this.#router.routeNotification(method, params);
  }

  closed(): void {
    this.#onClose();
  }
}
