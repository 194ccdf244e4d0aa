/** `subscriptions/listen`: requests that stay open and carry the change notifications that their filter selects. */
import { limitReached } from "../../errors/limit-reached.js";
import { invalidParams } from "../../errors/protocol-error.js";
import { checkWholeNumber } from "../../errors/sdk-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { hasCapability } from "../../protocol/method-table.js";
import type { SubscriptionFilter } from "../../protocol/subscriptions.js";
import type { JsonObject } from "../../runtime/json.js";
import { textBytes } from "../../runtime/json-size.js";
import { Quota } from "../../runtime/quota.js";
import { onCallerExpiry } from "../../transport/caller.js";
import type { ServerContext } from "../server-context.js";
import { CONNECTION_BYTES, RetainedBytes, type ServerLimits } from "../server-limits.js";
import { type AnnouncedChange, type ChangeBus, changeKey } from "./change-bus.js";
import { capabilityOf, notificationOf } from "./change-notification.js";

export interface ListenLimits {
  /** Open streams of the server. */
  readonly maxListenStreams: number;
  /** Resources that one stream subscribes to. */
  readonly maxSubscribedResources: number;
}

/** The parts of its request that a stream needs. */
export interface ListenContext extends Pick<ServerContext, "requestId" | "signal" | "caller"> {
  notify(method: string, params: JsonObject): Promise<void>;
}

export class ListenStreams {
  readonly #changes: Pick<ChangeBus, "subscribe">;
  readonly #maxStreams: number;
  readonly #maxResources: number;
  readonly #limits: ServerLimits;
  /** Open streams, oldest first: the function that ends the stream, and its principal. */
  readonly #open = new Map<() => void, string | undefined>();
  /** The open streams of each principal. */
  readonly #shares: Quota;

  /** @throws {SdkError} `invalid-argument` for a limit that is not a whole number from 0. */
  constructor(changes: Pick<ChangeBus, "subscribe">, options: ListenLimits, limits: ServerLimits) {
    const { maxListenStreams: maxStreams, maxSubscribedResources } = options;
    for (const [name, limit] of Object.entries({ maxListenStreams: maxStreams, maxSubscribedResources })) {
      checkWholeNumber(name, limit, 0);
    }
    this.#changes = changes;
    this.#maxStreams = maxStreams;
    this.#maxResources = maxSubscribedResources;
    this.#limits = limits;
    this.#shares = new Quota(maxStreams, maxStreams);
  }

  /**
   * Sends the acknowledgment, then delivers changes until the client cancels or the server ends the stream. Resolves with the
   * result of the request.
   * @throws {ProtocolError} 429 for too many streams or bytes, -32602 for too many resources.
   */
  async serve(
    filter: SubscriptionFilter,
    capabilities: ServerCapabilities,
    context: ListenContext,
  ): Promise<JsonObject> {
    const principal = context.caller?.principal;
    const honored = honoredPart(filter, capabilities);
    this.#checkResources(honored);
    const retained = new RetainedBytes(this.#limits, principal, CONNECTION_BYTES);
    retained.add(filterBytes(honored), "the filter");
    try {
      this.#makeRoom(principal);
    } catch (error) {
      retained.clear();
      throw error;
    }
    const wanted = new Set(changesIn(honored).map(changeKey));
    const meta = { [MetaKey.subscriptionId]: context.requestId };
    // The acknowledgment must be the first message, so it is sent before the stream subscribes to changes.
    void context.notify("notifications/subscriptions/acknowledged", { _meta: meta, notifications: { ...honored } });
    try {
      await this.#untilEnded(context, (change) => {
        if (!wanted.has(changeKey(change))) return false;
        const { method, params } = notificationOf(change);
        void context.notify(method, { ...params, _meta: meta });
        return true;
      });
    } finally {
      retained.clear();
    }
    return { _meta: meta };
  }

  /** Ends every stream with a result. */
  endAll(): void {
    for (const end of [...this.#open.keys()]) end();
  }

  /** At the limit, ends the oldest stream of the principal with the most streams. @throws {ProtocolError} 429 */
  #makeRoom(principal: string | undefined): void {
    if (this.#open.size < this.#maxStreams) return;
    // 2, not 1: no open stream is ended just to let another principal reach the same number.
    const pays = this.#shares.payers(principal, 2);
    for (const [end, other] of this.#open) {
      if (other === principal || !pays(other)) continue;
      end();
      return;
    }
    throw limitReached("server", `Too many subscriptions: at most ${this.#maxStreams} at a time`);
  }

  /** Resolves when the stream ends. Frees its place synchronously, so that a client at the limit can open the next stream. */
  #untilEnded({ caller, signal }: ListenContext, listener: (change: AnnouncedChange) => boolean): Promise<void> {
    const principal = caller?.principal;
    return new Promise((resolve, reject) => {
      const stop = this.#changes.subscribe(listener);
      const end = () => {
        if (!this.#open.delete(end)) return;
        stopTimer();
        this.#shares.take(principal, -1);
        try {
          stop();
          resolve();
        } catch (failure) {
          reject(failure);
        }
      };
      this.#open.set(end, principal);
      this.#shares.take(principal, 1);
      const stopTimer = onCallerExpiry(caller, end);
      // A signal that has already aborted fires no event.
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  }

  #checkResources({ resourceSubscriptions: uris = [] }: SubscriptionFilter): void {
    if (uris.length <= this.#maxResources) return;
    throw invalidParams(
      `params.notifications.resourceSubscriptions: expected at most ${this.#maxResources} resources, got ${uris.length}`,
    );
  }
}

/** The part of a filter that the server's capabilities support. */
function honoredPart(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const announces = (change: Parameters<typeof capabilityOf>[0]) => hasCapability(capabilities, capabilityOf(change));
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions: uris } = filter;
  return {
    ...(toolsListChanged && announces({ kind: "tools" }) && { toolsListChanged }),
    ...(promptsListChanged && announces({ kind: "prompts" }) && { promptsListChanged }),
    ...(resourcesListChanged && announces({ kind: "resources" }) && { resourcesListChanged }),
    ...(uris && announces({ kind: "resource", uri: "" }) && { resourceSubscriptions: [...new Set(uris)] }),
  };
}

function changesIn(filter: SubscriptionFilter): AnnouncedChange[] {
  const { resourceSubscriptions: uris = [] } = filter;
  const changes: AnnouncedChange[] = uris.map((uri) => ({ kind: "resource", uri }));
  if (filter.toolsListChanged) changes.push({ kind: "tools" });
  if (filter.promptsListChanged) changes.push({ kind: "prompts" });
  if (filter.resourcesListChanged) changes.push({ kind: "resources" });
  return changes;
}

/** The bytes of a filter. A stream holds each URI twice: in the filter and in a key. */
function filterBytes({ resourceSubscriptions: uris = [] }: SubscriptionFilter): number {
  return uris.reduce((bytes, uri) => bytes + 2 * textBytes(uri), 0);
}
