/** Subscriptions on one connection: a `subscriptions/listen` request in the modern era, `resources/subscribe` in the legacy era. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { eraOf } from "../protocol/revisions.js";
import type { ChangeListeners } from "./change-listeners.js";
import type { ChangeQueue } from "./change-queue.js";
import type { SendCall } from "./client-call.js";
import type { ClientExtensions } from "./extensions.js";
import { announcedPart, fromWire, type ListenFilter, toWire } from "./listen-filter.js";
import type { NegotiatedConnection } from "./negotiated-connection.js";

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
  open(
    connection: Pick<NegotiatedConnection, "negotiated">,
    filter: ListenFilter,
    queue: ChangeQueue,
  ): Promise<ConnectionSubscription> {
    this.#count += 1;
    const id = `listen-${this.#count}`;
    return eraOf(connection.negotiated.revision) === "modern"
      ? this.#openModern(id, this.#supportedPart(filter, connection), queue)
      : this.#openLegacy(connection, id, filter, queue);
  }

  /** The filter without those of extensions that the server lacks. */
  #supportedPart(filter: ListenFilter, { negotiated }: Pick<NegotiatedConnection, "negotiated">): ListenFilter {
    if (!filter.extensions) return filter;
    return { ...filter, extensions: this.#extensions.supportedFilters(filter.extensions, negotiated) };
  }

  async #openModern(id: string, filter: ListenFilter, queue: ChangeQueue): Promise<ConnectionSubscription> {
    const cancel = new AbortController();
    const options = { id, signal: cancel.signal, timeoutMs: Number.POSITIVE_INFINITY };
    const params = { notifications: { ...toWire(filter) } };
    let isStopped = false;
    let finish: (error: Error | undefined) => void;
    const ended = new Promise<Error | undefined>((resolve) => {
      finish = resolve;
    });
    const honored = await new Promise<ListenFilter>((resolve, reject) => {
      const deadline = this.#acknowledgmentDeadline((error, reason) => {
        reject(error);
        cancel.abort(reason);
      });
      const end = (error?: Error) => {
        deadline.stop();
        this.#listeners.delete(id);
        finish(isStopped ? undefined : error);
      };
      this.#listeners.add(id, {
        acknowledged: (part) => {
          deadline.stop();
          try {
            resolve(fromWire(part, filter));
          } catch (error) {
            reject(error);
            cancel.abort("The acknowledgment is malformed");
          }
        },
        changed: (change, bytes) => queue.put(change, bytes),
        ended: end,
      });
      this.#send({ method: "subscriptions/listen", params, options }).then(
        () => {
          end();
          resolve({});
        },
        (error: Error) => {
          end(error);
          reject(error);
        },
      );
    });
    const stop = async () => {
      isStopped = true;
      cancel.abort("The subscription was closed");
    };
    return { honored, ended, stop };
  }

  #acknowledgmentDeadline(onExpired: (error: SdkError, reason: string) => void): Deadline {
    return new Deadline({
      timeoutMs: this.#timeoutMs,
      maxTimeoutMs: undefined,
      restarts: false,
      onExpired: (ms) => {
        const message = `subscriptions/listen was not acknowledged within ${ms} ms`;
        onExpired(new SdkError("request-timeout", message), `Not acknowledged within ${ms} ms`);
      },
    });
  }

  async #openLegacy(
    connection: Pick<NegotiatedConnection, "negotiated">,
    id: string,
    filter: ListenFilter,
    queue: ChangeQueue,
  ): Promise<ConnectionSubscription> {
    const honored = announcedPart(filter, connection.negotiated.server.capabilities ?? {});
    const { resource: uris = [] } = honored;
    queue.narrow(honored);
    // Added before the request is sent: the server may send notifications before its answer.
    let isEnded = false;
    let end: (error?: Error) => void;
    const ended = new Promise<Error | undefined>((resolve) => {
      end = (error) => {
        isEnded = true;
        resolve(error);
      };
      this.#listeners.add(id, { changed: (change) => queue.put(change), ended: end });
    });
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
