/** The receiving half of a client's connection: what a server sends on its own, and that the connection is gone. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { methodNotFound } from "../errors/protocol-error.js";
import type { JsonObject } from "../protocol/json.js";
import { hasBatches } from "../protocol/method-table.js";
import { eraOf, LATEST_MODERN_REVISION } from "../protocol/revisions.js";
import { RequestContext } from "../routing/request-context.js";
import type { Router } from "../routing/router.js";
import type { ChangeFeed } from "./change-feed.js";
import { ClientRequest } from "./client-context.js";
import type { ClientExtensions } from "./extensions.js";
import type { Verdict } from "./negotiation.js";
import type { ResultCache } from "./result-cache.js";

export class ClientConnection implements Receiver {
  readonly #router: Router<RequestContext>;
  readonly #feed: ChangeFeed;
  readonly #cache: ResultCache | undefined;
  readonly #extensions: ClientExtensions;
  readonly #progressIntervalMs: number | undefined;
  readonly #onClosed: () => void;
  #verdict: Verdict | undefined;

  constructor(
    router: Router<RequestContext>,
    feed: ChangeFeed,
    cache: ResultCache | undefined,
    extensions: ClientExtensions,
    progressIntervalMs: number | undefined,
    onClosed: () => void,
  ) {
    this.#router = router;
    this.#feed = feed;
    this.#cache = cache;
    this.#extensions = extensions;
    this.#progressIntervalMs = progressIntervalMs;
    this.#onClosed = onClosed;
  }

  /** Called once, when negotiation has settled. */
  settle(verdict: Verdict): void {
    this.#verdict = verdict;
  }

  get acceptsBatches(): boolean {
    return this.#verdict !== undefined && hasBatches(this.#verdict.revision);
  }

  /** A modern server asks inside its results; a request from it is nothing this client may answer. */
  get refusesRequests(): boolean {
    return this.#verdict !== undefined && eraOf(this.#verdict.revision) === "modern";
  }

  async request(inbound: InboundRequest): Promise<JsonObject> {
    const { method, params = {} } = inbound;
    if (this.#verdict && this.#extensions.lackingAt(method, this.#verdict)) throw methodNotFound(method);
    const request = new ClientRequest(inbound, this.#extensions, this.#verdict, this.#progressIntervalMs);
    try {
      // The dispatcher answers -32603 for a handler's result that is no object.
      return (await this.#router.routeRequest(method, params, new RequestContext(request))) as JsonObject;
    } finally {
      request.finishReports();
    }
  }

  async notification(method: string, params: JsonObject = {}): Promise<void> {
    if (this.#verdict) this.#extensions.checkIncoming(method, this.#verdict);
    // First, so that whoever is told of a change and asks again is not served what it was before.
    this.#cache?.notified(method, params);
    const revision = this.#verdict?.revision ?? LATEST_MODERN_REVISION;
    // Before the author's handlers, which may take their time or fail: subscriptions owe them nothing.
    this.#feed.receive(revision, method, params);
    await this.#router.routeNotification(revision, method, params, undefined);
  }

  closed(): void {
    this.#onClosed();
  }
}
