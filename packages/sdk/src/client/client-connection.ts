/** The receiving half of a client's connection: what a server sends on its own, and that the connection is gone. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import { hasBatches } from "../protocol/method-table.js";
import { eraOf, LATEST_LEGACY_REVISION, LATEST_MODERN_REVISION, type Revision } from "../protocol/revisions.js";
import { RequestContext } from "../routing/request-context.js";
import type { Router } from "../routing/router.js";
import type { ChangeFeed } from "./change-feed.js";
import type { ResultCache } from "./result-cache.js";

export class ClientConnection implements Receiver {
  readonly #router: Router<RequestContext>;
  readonly #feed: ChangeFeed;
  readonly #cache: ResultCache | undefined;
  readonly #onClose: () => void;
  #revision: Revision | undefined;

  constructor(router: Router<RequestContext>, feed: ChangeFeed, cache: ResultCache | undefined, onClose: () => void) {
    this.#router = router;
    this.#feed = feed;
    this.#cache = cache;
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
    const context = new RequestContext(inbound, this.#revision ?? LATEST_LEGACY_REVISION, "legacy");
    // The dispatcher answers -32603 for a handler's result that is no object.
    return (await this.#router.routeRequest(inbound.method, inbound.params ?? {}, context)) as JsonObject;
  }

  async notification(method: string, params: JsonObject = {}): Promise<void> {
    // First, so that whoever is told of a change and asks again is not served what it was before.
    this.#cache?.notified(method, params);
    const revision = this.#revision ?? LATEST_MODERN_REVISION;
    // Before the author's handlers, which may take their time or fail: subscriptions owe them nothing.
    this.#feed.receive(revision, method, params);
    await this.#router.routeNotification(revision, method, params);
  }

  closed(): void {
    this.#feed.end(new SdkError("connection-closed", "The connection was lost while a subscription was open"));
    this.#onClose();
  }
}
