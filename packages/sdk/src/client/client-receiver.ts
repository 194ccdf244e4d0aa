/** Receives on a client's connection: requests and notifications of the server, and the end of the connection. */
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { methodNotFound } from "../errors/protocol-error.js";
import type { SdkError } from "../errors/sdk-error.js";
import { hasBatches } from "../protocol/method-table.js";
import { eraOf, LATEST_LEGACY_REVISION, LATEST_MODERN_REVISION } from "../protocol/revisions.js";
import { RequestContext } from "../routing/request-context.js";
import { RoutedRequest } from "../routing/routed-request.js";
import type { Router } from "../routing/router.js";
import type { JsonObject } from "../runtime/json.js";
import type { ChangeListeners } from "./change-listeners.js";
import type { ClientExtensions } from "./extensions.js";
import type { NegotiationResult } from "./negotiation.js";
import type { ResultCache } from "./result-cache.js";

export class ClientReceiver implements Receiver {
  readonly #router: Router<RequestContext>;
  readonly #listeners: ChangeListeners;
  readonly #cache: ResultCache | undefined;
  readonly #extensions: ClientExtensions;
  readonly #progressIntervalMs: number | undefined;
  readonly #onClosed: () => void;
  #negotiated: NegotiationResult | undefined;

  constructor(
    router: Router<RequestContext>,
    listeners: ChangeListeners,
    cache: ResultCache | undefined,
    extensions: ClientExtensions,
    progressIntervalMs: number | undefined,
    onClosed: () => void,
  ) {
    this.#router = router;
    this.#listeners = listeners;
    this.#cache = cache;
    this.#extensions = extensions;
    this.#progressIntervalMs = progressIntervalMs;
    this.#onClosed = onClosed;
  }

  /** Called once, when negotiation has settled. */
  settle(negotiated: NegotiationResult): void {
    this.#negotiated = negotiated;
  }

  get acceptsBatches(): boolean {
    return this.#negotiated !== undefined && hasBatches(this.#negotiated.revision);
  }

  /** A modern server asks inside its results. The client answers no request from it. */
  get refusesRequests(): boolean {
    return this.#negotiated !== undefined && eraOf(this.#negotiated.revision) === "modern";
  }

  async request(inbound: InboundRequest): Promise<JsonObject> {
    const { method, params = {} } = inbound;
    if (this.#negotiated && this.#extensions.lackingAt(method, this.#negotiated)) throw methodNotFound(method);
    const request = new ClientRequest(inbound, this.#extensions, this.#negotiated, this.#progressIntervalMs);
    try {
      // The dispatcher answers -32603 for a handler's result that is no object.
      return (await this.#router.routeRequest(method, params, new RequestContext(request))) as JsonObject;
    } finally {
      request.finishReports();
    }
  }

  async notification(method: string, params: JsonObject = {}): Promise<void> {
    if (this.#negotiated) this.#extensions.checkIncoming(method, this.#negotiated);
    // The cache first: a listener that fetches the list again must not get the outdated result.
    this.#cache?.notified(method, params);
    const revision = this.#negotiated?.revision ?? LATEST_MODERN_REVISION;
    // The listeners before the author's handlers, which may be slow or fail.
    this.#listeners.receive(revision, method, params, this.#extensions.filterOf(method));
    await this.#router.routeNotification(revision, method, params, undefined);
  }

  closed(): void {
    this.#onClosed();
  }
}

/** One request of a legacy server that a client serves. */
class ClientRequest extends RoutedRequest {
  readonly #extensions: ClientExtensions;
  readonly #negotiated: NegotiationResult | undefined;

  /** @param negotiated undefined while the two sides negotiate */
  constructor(
    inbound: InboundRequest,
    extensions: ClientExtensions,
    negotiated: NegotiationResult | undefined,
    progressIntervalMs: number | undefined,
  ) {
    super(inbound, negotiated?.revision ?? LATEST_LEGACY_REVISION, "legacy", progressIntervalMs);
    this.#extensions = extensions;
    this.#negotiated = negotiated;
  }

  override wantsNotification(method: string): boolean {
    return !this.#negotiated || !this.#extensions.lackingAt(method, this.#negotiated);
  }

  override refuseRequest(method: string): SdkError | undefined {
    return this.#negotiated && this.#extensions.refusal(method, this.#negotiated);
  }
}
