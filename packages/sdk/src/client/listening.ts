/** Opening subscriptions: one long request in the modern era, plain notifications and `resources/subscribe` in the legacy one. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { eraOf } from "../protocol/revisions.js";
import type { ChangeFeed } from "./change-feed.js";
import { ChangeQueue } from "./change-queue.js";
import { announcedPart, fromWire, type ListenFilter, toWire } from "./listen-filter.js";
import type { OpenConnection } from "./open-connection.js";
import { Subscription } from "./subscription.js";
import { WatchedResources } from "./watched-resources.js";

/** What listening needs of a connection. */
export type ListeningConnection = Pick<OpenConnection, "verdict" | "request">;

export class Listening {
  readonly #feed: ChangeFeed;
  readonly #timeoutMs: number;
  readonly #watched = new WatchedResources();
  #count = 0;

  /** `timeoutMs` is how long a server may take to acknowledge; the subscription itself lasts as long as it is wanted. */
  constructor(feed: ChangeFeed, timeoutMs: number = DEFAULT_TIMEOUT_MS) {
    this.#feed = feed;
    this.#timeoutMs = timeoutMs;
  }

  async open(connection: ListeningConnection, filter: ListenFilter): Promise<Subscription> {
    // Legacy lists cost no request that would fail by itself.
    if (this.#feed.isOver) throw new SdkError("connection-closed", "A closed connection has no subscriptions");
    this.#count += 1;
    const id = `listen-${this.#count}`;
    return eraOf(connection.verdict.revision) === "modern"
      ? this.#openModern(connection, id, filter)
      : this.#openLegacy(connection, id, filter);
  }

  async #openModern(connection: ListeningConnection, id: string, filter: ListenFilter): Promise<Subscription> {
    const queue = new ChangeQueue(filter);
    const stop = new AbortController();
    const options = { id, signal: stop.signal, timeoutMs: Number.POSITIVE_INFINITY };
    const params = { notifications: { ...toWire(filter) } };
    const honored = await new Promise<ListenFilter>((resolve, reject) => {
      const deadline = this.#acknowledgedInTime((error, reason) => {
        reject(error);
        stop.abort(reason);
      });
      this.#feed.add(id, {
        acknowledged: (part) => {
          deadline.stop();
          resolve(fromWire(part));
        },
        changed: (change) => queue.put(change),
        ended: (error) => void queue.end(error),
      });
      const over = (error?: Error) => {
        deadline.stop();
        this.#feed.delete(id);
        queue.end(error);
      };
      connection.request("subscriptions/listen", params, options).then(
        () => {
          over();
          resolve({});
        },
        (error: Error) => {
          over(error);
          reject(error);
        },
      );
    });
    return new Subscription(honored, queue, () => stop.abort("The subscription was closed"));
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

  async #openLegacy(connection: ListeningConnection, id: string, filter: ListenFilter): Promise<Subscription> {
    const honored = announcedPart(filter, connection.verdict.server.capabilities ?? {});
    const { resources = [] } = honored;
    const queue = new ChangeQueue(honored);
    // Before the server is asked, so that nothing is missed between its first notification and its answer.
    this.#feed.add(id, { changed: (change) => queue.put(change), ended: (error) => void queue.end(error) });
    const asked = await Promise.allSettled(resources.map((uri) => this.#watched.watch(connection, uri)));
    const close = async () => {
      this.#feed.delete(id);
      // It is over for this side, whatever the server makes of it.
      await Promise.allSettled(asked.map((watch) => watch.status === "fulfilled" && watch.value()));
    };
    const refused = asked.find((watch) => watch.status === "rejected");
    if (refused) {
      await close();
      throw refused.reason;
    }
    return new Subscription(honored, queue, close);
  }
}
