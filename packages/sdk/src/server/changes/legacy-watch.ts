/** The changes that one legacy connection is notified of: lists that its handshake announced, and resources it subscribed to. */
import type { Dispatcher } from "../../dispatch/dispatcher.js";
import { limitHeld } from "../../errors/limit-reached.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { hasCapability } from "../../protocol/method-table.js";
import { markHandled } from "../../runtime/maybe-promise.js";
import type { AnnouncedChange, ChangeBus } from "./change-bus.js";
import { capabilityOf, LISTS, notificationOf, type SpecChange } from "./change-notification.js";
import { StartedElicitations, type UrlElicitationLimits } from "./started-elicitations.js";

export class LegacyWatch {
  /** The server capabilities in the answer to `initialize`. */
  announced: ServerCapabilities = {};
  /** Whether another process notifies the client of its session. This one then reports only pages that it asked for itself. */
  isMuted = false;
  readonly #pageLimits: UrlElicitationLimits | undefined;
  #elicitations: StartedElicitations | undefined;
  readonly #changes: Pick<ChangeBus, "subscribe">;
  readonly #maxUris: number;
  /** Undefined until the first subscription: most sessions subscribe to nothing. */
  #uris: Set<string> | undefined;
  #stop: (() => void) | undefined;

  constructor(changes: Pick<ChangeBus, "subscribe">, maxUris: number, pageLimits?: UrlElicitationLimits) {
    this.#changes = changes;
    this.#maxUris = maxUris;
    this.#pageLimits = pageLimits;
  }

  /** The pages that the client was asked to open. */
  get elicitations(): StartedElicitations {
    this.#elicitations ??= new StartedElicitations(this.#pageLimits);
    return this.#elicitations;
  }

  /** Starts notifying the client. Called after `notifications/initialized`. Idempotent. */
  start(client: Pick<Dispatcher, "notify">): void {
    this.#stop ??= this.#changes.subscribe((change) => this.deliver(change, client));
  }

  /** Notifies the client of a change that it wants. False if it does not. */
  deliver(change: AnnouncedChange, client: Pick<Dispatcher, "notify">): boolean {
    // Legacy revisions have no listen filters.
    if (change.kind === "extension") return false;
    const wanted = (change.kind === "missed" ? this.#subscribed() : [change]).filter((one) => this.#wants(one));
    for (const { method, params } of wanted.map(notificationOf)) {
      // A rejection means that the connection has closed, which is reported elsewhere.
      void markHandled(client.notify(method, params));
    }
    return wanted.length > 0;
  }

  get uris(): readonly string[] {
    return [...(this.#uris ?? [])];
  }

  has(uri: string): boolean {
    return this.#uris?.has(uri) === true;
  }

  /** @throws {ProtocolError} 429 if the connection has the most subscriptions that are allowed. */
  checkRoom(): void {
    if ((this.#uris?.size ?? 0) < this.#maxUris) return;
    throw limitHeld("session", `Too many subscriptions: at most ${this.#maxUris} at a time; end one first`);
  }

  subscribe(uri: string): void {
    this.#uris ??= new Set();
    this.#uris.add(uri);
  }

  /** Returns false if there was no such subscription. */
  unsubscribe(uri: string): boolean {
    return this.#uris?.delete(uri) === true;
  }

  stop(): void {
    this.#uris = undefined;
    this.#elicitations?.clear();
    this.#stop?.();
  }

  /** All lists, and the resources that the client subscribed to. */
  #subscribed(): SpecChange[] {
    return [...LISTS, ...this.uris.map((uri) => ({ kind: "resource", uri }) as const)];
  }

  #wants(change: SpecChange): boolean {
    if (change.kind === "elicitation") return this.#elicitations?.finish(change.elicitationId) === true;
    if (this.isMuted) return false;
    if (!hasCapability(this.announced, capabilityOf(change))) return false;
    return change.kind !== "resource" || this.has(change.uri);
  }
}
