/** Subscriptions on one connection: a `subscriptions/listen` request in the modern era, `resources/subscribe` in the legacy era. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { eraOf } from "../protocol/revisions.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";
import { createDeferred } from "../runtime/deferred.js";
import type { JsonObject } from "../runtime/json.js";
import type { ChangeListener, ChangeListeners, ServerChange } from "./change-listeners.js";
import type { ChangeQueue } from "./change-queue.js";
import type { SendCall } from "./client-call.js";
import type { ClientExtensions } from "./extensions.js";
import { announcedPart, fromWire, type ListenFilter, toWire } from "./listen-filter.js";
import type { Negotiated } from "./negotiation.js";

export interface ConnectionSubscription {
  /** The part of the filter that the server agreed to announce. */
  readonly honored: ListenFilter;
  /** Resolves when the subscription ends: with an error if it was lost, without one if either side ended it. */
  readonly ended: Promise<Error | undefined>;
  stop(): Promise<void>;
}

export class ConnectionSubscriptions {
  readonly #send: SendCall;
  readonly #listeners: ChangeListeners;
  readonly #extensions: Pick<ClientExtensions, "supportedFilters">;
  readonly #timeoutMs: number;
  readonly #resources = new WeakMap<object, SubscribedResources>();
  #count = 0;

  constructor(
    send: SendCall,
    listeners: ChangeListeners,
    extensions: Pick<ClientExtensions, "supportedFilters">,
    timeoutMs: number = DEFAULT_TIMEOUT_MS,
  ) {
    this.#send = send;
    this.#listeners = listeners;
    this.#extensions = extensions;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with the server's refusal, or with the loss of the connection. */
  open(connection: Negotiated, filter: ListenFilter, queue: ChangeQueue): Promise<ConnectionSubscription> {
    this.#count += 1;
    const id = `listen-${this.#count}`;
    return eraOf(connection.negotiated.revision) === "modern"
      ? this.#openModern(id, this.#supportedPart(filter, connection), queue)
      : this.#openLegacy(connection, id, filter, queue);
  }

  /** The filter without those of extensions that the server lacks. */
  #supportedPart(filter: ListenFilter, { negotiated }: Negotiated): ListenFilter {
    if (!filter.extensions) return filter;
    return { ...filter, extensions: this.#extensions.supportedFilters(filter.extensions, negotiated) };
  }

  async #openModern(id: string, filter: ListenFilter, queue: ChangeQueue): Promise<ConnectionSubscription> {
    const request = new ListenRequest(filter, queue, this.#timeoutMs, () => this.#listeners.delete(id));
    this.#listeners.add(id, request);
    const params = { notifications: { ...toWire(filter) } };
    const options = { id, signal: request.signal, timeoutMs: Number.POSITIVE_INFINITY };
    this.#send({ method: "subscriptions/listen", params, options }).then(
      () => request.answered(),
      (error: Error) => request.failed(error),
    );
    const honored = await request.acknowledgment;
    return { honored, ended: request.end, stop: async () => request.stop() };
  }

  async #openLegacy(
    connection: Negotiated,
    id: string,
    filter: ListenFilter,
    queue: ChangeQueue,
  ): Promise<ConnectionSubscription> {
    const honored = announcedPart(filter, connection.negotiated.server.capabilities ?? {});
    const { resource: uris = [] } = honored;
    queue.narrow(honored);
    let isEnded = false;
    const { promise: ended, resolve } = createDeferred<Error | undefined>();
    const end = (error?: Error) => {
      isEnded = true;
      resolve(error);
    };
    // Added before the request is sent: the server may send notifications before its answer.
    this.#listeners.add(id, { changed: (change) => queue.put(change), ended: end });
    const subscribed = this.#resourcesOf(connection);
    const outcomes = await Promise.allSettled(uris.map((uri) => subscribed.subscribe(this.#send, uri)));
    const stop = async () => {
      this.#listeners.delete(id);
      // The server's subscriptions have ended with the connection. The next connection may have one to the same resource.
      if (isEnded) return;
      end();
      // This side has ended the subscription, whether or not the server answers.
      await Promise.allSettled(outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value()));
    };
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    if (refused) {
      await stop();
      throw refused.reason;
    }
    return { honored, ended, stop };
  }

  /** Keyed by connection: a new connection or session has none of the subscriptions of earlier ones. */
  #resourcesOf(connection: object): SubscribedResources {
    const subscribed = this.#resources.get(connection) ?? new SubscribedResources();
    this.#resources.set(connection, subscribed);
    return subscribed;
  }
}

/**
 * One `subscriptions/listen` request. The server acknowledges it, announces changes, and answers it when it ends the subscription.
 * The request has no timeout, but its acknowledgment has one.
 */
class ListenRequest implements ChangeListener {
  readonly #filter: ListenFilter;
  readonly #queue: ChangeQueue;
  readonly #onEnd: () => void;
  readonly #acknowledgment = createDeferred<ListenFilter>();
  readonly #end = createDeferred<Error | undefined>();
  readonly #cancel = new AbortController();
  readonly #deadline: Deadline;
  #isStopped = false;

  /** `onEnd` is called when no more changes are announced. */
  constructor(filter: ListenFilter, queue: ChangeQueue, timeoutMs: number, onEnd: () => void) {
    this.#filter = filter;
    this.#queue = queue;
    this.#onEnd = onEnd;
    this.#deadline = new Deadline({ expired: (ms) => this.#expired(ms) }, timeoutMs);
  }

  /** Cancels the request. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Resolves with the part of the filter that the server honors. Rejects if the server does not acknowledge the filter. */
  get acknowledgment(): Promise<ListenFilter> {
    return this.#acknowledgment.promise;
  }

  /** Resolves when the subscription ends: with an error if it was lost, without one if either side ended it. */
  get end(): Promise<Error | undefined> {
    return this.#end.promise;
  }

  acknowledged(part: SubscriptionFilter & JsonObject): void {
    this.#deadline.stop();
    try {
      this.#acknowledgment.resolve(fromWire(part, this.#filter));
    } catch (error) {
      this.#refuse(error, "The acknowledgment is malformed");
    }
  }

  changed(change: ServerChange, bytes?: number): void {
    this.#queue.put(change, bytes);
  }

  ended(error?: Error): void {
    this.#deadline.stop();
    this.#onEnd();
    this.#end.resolve(this.#isStopped ? undefined : error);
  }

  /** The server has answered: it ended the subscription, perhaps without an acknowledgment. */
  answered(): void {
    this.ended();
    this.#acknowledgment.resolve({});
  }

  /** The request was refused, lost or cancelled. */
  failed(error: Error): void {
    this.ended(error);
    this.#acknowledgment.reject(error);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel.abort("The subscription was closed");
  }

  #expired(ms: number): void {
    const message = `subscriptions/listen was not acknowledged within ${ms} ms`;
    this.#refuse(new SdkError("request-timeout", message), `Not acknowledged within ${ms} ms`);
  }

  #refuse(error: unknown, reason: string): void {
    this.#acknowledgment.reject(error);
    this.#cancel.abort(reason);
  }
}

interface SubscribedResource {
  readonly requested: Promise<unknown>;
  count: number;
}

/** The resources that a legacy client has subscribed to. Subscriptions to the same resource share one request. */
export class SubscribedResources {
  readonly #byUri = new Map<string, SubscribedResource>();

  /** Returns a function that unsubscribes. The last caller's sends `resources/unsubscribe`. Rejects with the server's refusal. */
  async subscribe(send: SendCall, uri: string): Promise<() => Promise<void>> {
    const resource = this.#byUri.get(uri) ?? { requested: request(send, "resources/subscribe", uri), count: 0 };
    this.#byUri.set(uri, resource);
    resource.count += 1;
    try {
      await resource.requested;
    } catch (error) {
      // Every subscription that shares the request gets here. A later one sends a new request.
      if (this.#byUri.get(uri) === resource) this.#byUri.delete(uri);
      throw error;
    }
    return async () => {
      resource.count -= 1;
      if (resource.count > 0) return;
      this.#byUri.delete(uri);
      await request(send, "resources/unsubscribe", uri);
    };
  }
}

function request(send: SendCall, method: string, uri: string): Promise<unknown> {
  return send({ method, params: { uri }, options: {} });
}
