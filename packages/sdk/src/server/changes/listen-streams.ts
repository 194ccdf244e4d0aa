/** `subscriptions/listen`: requests that stay open and carry the change notifications that their filter selects. */
import type { InboundRequest } from "../../dispatch/dispatcher.js";
import { limitReached } from "../../errors/limit-reached.js";
import { checkWholeNumber } from "../../errors/option-checks.js";
import { invalidParams } from "../../errors/protocol-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { hasCapability } from "../../protocol/method-table.js";
import type { SubscriptionFilter } from "../../protocol/subscriptions.js";
import type { JsonObject } from "../../runtime/json.js";
import { jsonBytes, textBytes } from "../../runtime/json-size.js";
import { Quota } from "../../runtime/quota.js";
import { onCallerExpiry } from "../../transport/caller.js";
import type { ServerContext } from "../server-context.js";
import { CONNECTION_BYTES, RetainedBytes, type ServerLimits } from "../server-limits.js";
import { type ChangeBus, changeKey } from "./change-bus.js";
import { capabilityOf, notificationOf, type SpecChange } from "./change-notification.js";
import type { HonoredFilter, RequestedFilter } from "./listen-filters.js";

export interface ListenLimits {
  /** Open streams of the server. */
  readonly maxListenStreams: number;
  /** Resources, and topics of extensions, that one stream subscribes to. */
  readonly maxSubscribedResources: number;
}

/** The parts of its request that a stream needs. */
export interface ListenContext extends Pick<ServerContext, "requestId" | "signal" | "caller" | "meta"> {
  readonly routed?: { readonly inbound: Pick<InboundRequest, "releaseParams"> };
  notify(method: string, params: JsonObject): Promise<void>;
}

export class ListenStreams {
  readonly #changes: Pick<ChangeBus, "subscribe">;
  readonly #maxStreams: number;
  readonly #maxResources: number;
  readonly #limits: ServerLimits;
  /** Open streams and their principals, oldest first. */
  readonly #streams = new Map<OpenStream, string | undefined>();
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
   * @param requested the filters of extensions in the request
   * @throws {ProtocolError} 429 for too many streams or bytes, -32602 for too many resources.
   */
  async serve(
    filter: SubscriptionFilter,
    capabilities: ServerCapabilities,
    context: ListenContext,
    requested: readonly RequestedFilter[] = [],
  ): Promise<JsonObject> {
    const principal = context.caller?.principal;
    const honored = honoredPart(filter, capabilities);
    this.#checkTopics(honored, []);
    const retained = new RetainedBytes(this.#limits, principal, CONNECTION_BYTES);
    retained.add(filterBytes(honored) + metaBytes(context), "the filter and _meta");
    let stream: OpenStream;
    try {
      this.#makeRoom(principal);
      stream = this.#open(context);
    } catch (error) {
      retained.clear();
      throw error;
    }
    const meta = { [MetaKey.subscriptionId]: context.requestId };
    try {
      // Synchronous without filters of extensions.
      if (requested.length === 0) this.#deliver(stream, honored, [], meta, context);
      else await this.#honor(stream, honored, requested, meta, context, retained);
      // The stream retains the honored part instead of the request's params.
      context.routed?.inbound.releaseParams?.({ notifications: honored });
      await stream.ended;
    } finally {
      stream.end();
      retained.clear();
    }
    return { _meta: meta };
  }

  /** Ends every stream with a result. */
  endAll(): void {
    for (const stream of [...this.#streams.keys()]) stream.end();
  }

  /** At the limit, ends the oldest stream of the principal with the most streams. @throws {ProtocolError} 429 */
  #makeRoom(principal: string | undefined): void {
    if (this.#streams.size < this.#maxStreams) return;
    // 2, not 1: no open stream is ended just to let another principal reach the same number.
    const isVictim = this.#shares.victims(principal, 2);
    for (const [stream, other] of this.#streams) {
      if (other === principal || !isVictim(other)) continue;
      stream.end();
      return;
    }
    throw limitReached("server", `Too many subscriptions: at most ${this.#maxStreams} at a time`);
  }

  /** Takes a place for a stream. Its end frees the place synchronously, so that a client at the limit can open the next one. */
  #open({ caller, signal }: ListenContext): OpenStream {
    const principal = caller?.principal;
    const stream = new OpenStream(() => {
      stopTimer();
      this.#streams.delete(stream);
      this.#shares.take(principal, -1);
    });
    this.#streams.set(stream, principal);
    this.#shares.take(principal, 1);
    const stopTimer = onCallerExpiry(caller, stream.end);
    // A signal that has already aborted fires no event.
    if (signal.aborted) stream.end();
    else signal.addEventListener("abort", stream.end, { once: true });
    return stream;
  }

  /** Runs the filters of extensions, then delivers changes. The stream holds its place meanwhile, so that hanging ones count. */
  async #honor(
    stream: OpenStream,
    honored: SubscriptionFilter,
    requested: readonly RequestedFilter[],
    meta: JsonObject,
    context: ListenContext,
    retained: RetainedBytes,
  ): Promise<void> {
    const running = Promise.all(requested.map((filter) => filter.honor(meta)));
    const outcome = await Promise.race([running, stream.ended]);
    // A stream that has ended meanwhile honors no filter of an extension.
    const filters = outcome?.filter((filter) => filter !== undefined) ?? [];
    this.#checkTopics(honored, filters);
    retained.add(topicBytes(filters), "the topics of the filter");
    this.#deliver(stream, honored, filters, meta, context);
  }

  #deliver(
    stream: OpenStream,
    honored: SubscriptionFilter,
    filters: readonly HonoredFilter[],
    meta: JsonObject,
    context: ListenContext,
  ): void {
    // The acknowledgment must be the first message, so it is sent before the stream subscribes to changes or ends.
    const notifications = { ...honored, ...Object.fromEntries(filters.map(({ name, value }) => [name, value])) };
    void context.notify("notifications/subscriptions/acknowledged", { _meta: meta, notifications });
    if (stream.isEnded) return;
    const wanted = new Set(changesIn(honored).map(changeKey));
    const topics = filters.length === 0 ? NO_TOPICS : topicsOf(filters);
    const notify = (change: SpecChange) => {
      const { method, params } = notificationOf(change);
      void context.notify(method, { ...params, _meta: meta });
    };
    const stop = this.#changes.subscribe((change) => {
      const key = changeKey(change);
      if (change.kind === "missed") {
        for (const { topic, notifications } of topics.values()) notifications.changed(topic);
        for (const one of changesIn(honored)) notify(one);
        return true;
      }
      if (change.kind === "extension") {
        topics.get(key)?.notifications.changed(change.topic);
        return topics.has(key);
      }
      if (!wanted.has(key)) return false;
      notify(change);
      return true;
    });
    // The honored values of extensions are not retained.
    const notifying = filters.map(({ notifications }) => notifications);
    stream.onEnd(() => {
      for (const notifications of notifying) notifications.end();
      stop();
    });
  }

  /** @throws {ProtocolError} -32602 */
  #checkTopics({ resourceSubscriptions: uris = [] }: SubscriptionFilter, filters: readonly HonoredFilter[]): void {
    const count = filters.reduce((sum, { topics }) => sum + topics.length, uris.length);
    if (count <= this.#maxResources) return;
    const [path, what] = filters.length === 0 ? [".resourceSubscriptions", "resources"] : ["", "resources and topics"];
    throw invalidParams(`params.notifications${path}: expected at most ${this.#maxResources} ${what}, got ${count}`);
  }
}

/** One stream, from the place that it takes in `#streams` until its end. */
class OpenStream {
  /** Rejects if the change bus fails to unsubscribe. */
  readonly ended: Promise<void>;
  isEnded = false;
  readonly #free: () => void;
  #resolve!: () => void;
  #reject!: (failure: unknown) => void;
  #stop: (() => void) | undefined;

  /** `free` gives the place back. */
  constructor(free: () => void) {
    this.#free = free;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the stream. Idempotent. A bound function, since it listens to signals and timers. */
  readonly end = (): void => {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#free();
    try {
      this.#stop?.();
      this.#resolve();
    } catch (failure) {
      this.#reject(failure);
    }
  };

  /** Sets the function that stops the delivery of changes. */
  onEnd(stop: () => void): void {
    this.#stop = stop;
  }
}

interface Topic {
  readonly topic: string;
  readonly notifications: HonoredFilter["notifications"];
}

/** Shared by the streams without filters of extensions. */
const NO_TOPICS: ReadonlyMap<string, Topic> = new Map();

/** The topics by `changeKey`. */
function topicsOf(filters: readonly HonoredFilter[]): ReadonlyMap<string, Topic> {
  return new Map(
    filters.flatMap(({ name, topics, notifications }) =>
      topics.map((topic) => [changeKey({ kind: "extension", filter: name, topic }), { topic, notifications }]),
    ),
  );
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

function changesIn(filter: SubscriptionFilter): SpecChange[] {
  const { resourceSubscriptions: uris = [] } = filter;
  const changes: SpecChange[] = uris.map((uri) => ({ kind: "resource", uri }));
  if (filter.toolsListChanged) changes.push({ kind: "tools" });
  if (filter.promptsListChanged) changes.push({ kind: "prompts" });
  if (filter.resourcesListChanged) changes.push({ kind: "resources" });
  return changes;
}

/** The bytes of the topics of extensions, each held twice like a URI. */
function topicBytes(filters: readonly HonoredFilter[]): number {
  return filters.reduce((bytes, { topics }) => topics.reduce((sum, topic) => sum + 2 * textBytes(topic), bytes), 0);
}

/** The bytes of the `_meta` that the handlers of extensions read. 0 in process, where they belong to the client. */
function metaBytes({ caller, meta }: ListenContext): number {
  return caller?.messageBytes === undefined ? 0 : jsonBytes(meta);
}

/** The bytes of a filter. A stream holds each URI twice: in the filter and in a key. */
export function filterBytes({ resourceSubscriptions: uris = [] }: SubscriptionFilter): number {
  return uris.reduce((bytes, uri) => bytes + 2 * textBytes(uri), 0);
}
