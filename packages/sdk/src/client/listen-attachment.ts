/** One subscription on one connection: a long request in the modern era, `resources/subscribe` in the legacy one. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { eraOf } from "../protocol/revisions.js";
import type { ChangeFeed } from "./change-feed.js";
import type { ChangeQueue } from "./change-queue.js";
import type { Link } from "./link.js";
import { announcedPart, fromWire, type ListenFilter, toWire } from "./listen-filter.js";
import type { OpenConnection } from "./open-connection.js";
import { WatchedResources } from "./watched-resources.js";

export interface Attachment {
  /** What the server agreed to announce. */
  readonly honored: ListenFilter;
  /** Resolves at its end: with an error if it was lost, without one if either side wanted it so. */
  readonly over: Promise<Error | undefined>;
  stop(): Promise<void>;
}

export class Attaching {
  readonly #link: Pick<Link, "request">;
  readonly #feed: ChangeFeed;
  readonly #timeoutMs: number;
  readonly #watched = new WeakMap<object, WatchedResources>();
  #count = 0;

  constructor(link: Pick<Link, "request">, feed: ChangeFeed, timeoutMs: number = DEFAULT_TIMEOUT_MS) {
    this.#link = link;
    this.#feed = feed;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with the server's refusal, or with the loss of the connection. */
  attach(connection: Pick<OpenConnection, "verdict">, filter: ListenFilter, queue: ChangeQueue): Promise<Attachment> {
    this.#count += 1;
    const id = `listen-${this.#count}`;
    return eraOf(connection.verdict.revision) === "modern"
      ? this.#attachModern(id, filter, queue)
      : this.#attachLegacy(connection, id, filter, queue);
  }

  async #attachModern(id: string, filter: ListenFilter, queue: ChangeQueue): Promise<Attachment> {
    const cancel = new AbortController();
    const options = { id, signal: cancel.signal, timeoutMs: Number.POSITIVE_INFINITY };
    const params = { notifications: { ...toWire(filter) } };
    let isStopped = false;
    let finish: (error: Error | undefined) => void;
    const over = new Promise<Error | undefined>((resolve) => {
      finish = resolve;
    });
    const honored = await new Promise<ListenFilter>((resolve, reject) => {
      const deadline = this.#acknowledgedInTime((error, reason) => {
        reject(error);
        cancel.abort(reason);
      });
      const ended = (error?: Error) => {
        deadline.stop();
        this.#feed.delete(id);
        finish(isStopped ? undefined : error);
      };
      this.#feed.add(id, {
        acknowledged: (part) => {
          deadline.stop();
          resolve(fromWire(part));
        },
        changed: (change) => queue.put(change),
        ended,
      });
      this.#link.request("subscriptions/listen", params, options).then(
        () => {
          ended();
          resolve({});
        },
        (error: Error) => {
          ended(error);
          reject(error);
        },
      );
    });
    const stop = async () => {
      isStopped = true;
      cancel.abort("The subscription was closed");
    };
    return { honored, over, stop };
  }

  #acknowledgedInTime(onExpired: (error: SdkError, reason: string) => void): Deadline {
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

  async #attachLegacy(
    connection: Pick<OpenConnection, "verdict">,
    id: string,
    filter: ListenFilter,
    queue: ChangeQueue,
  ): Promise<Attachment> {
    const honored = announcedPart(filter, connection.verdict.server.capabilities ?? {});
    const { resources = [] } = honored;
    queue.narrow(honored);
    // Before the server is asked, so that nothing is missed between its first notification and its answer.
    const over = new Promise<Error | undefined>((resolve) => {
      this.#feed.add(id, { changed: (change) => queue.put(change), ended: resolve });
    });
    const watched = this.#watchedOn(connection);
    const asked = await Promise.allSettled(resources.map((uri) => watched.watch(this.#link, uri)));
    const stop = async () => {
      this.#feed.delete(id);
      // It is over for this side, whatever the server makes of it.
      await Promise.allSettled(asked.map((watch) => watch.status === "fulfilled" && watch.value()));
    };
    const refused = asked.find((watch) => watch.status === "rejected");
    if (refused) {
      await stop();
      throw refused.reason;
    }
    return { honored, over, stop };
  }

  /** A new connection, or a new session, knows nothing of what was watched before. */
  #watchedOn(connection: object): WatchedResources {
    const watched = this.#watched.get(connection) ?? new WatchedResources();
    this.#watched.set(connection, watched);
    return watched;
  }
}
