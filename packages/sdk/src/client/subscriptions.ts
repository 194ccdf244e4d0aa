/** Subscriptions of a client. `listen` opens one, its reader iterates over it, and it is opened again after a loss. */
import { SdkError } from "../errors/sdk-error.js";
import type { ChangeListeners, ServerChange } from "./change-listeners.js";
import { ChangeQueue } from "./change-queue.js";
import type { SendCall } from "./client-call.js";
import { type ConnectionSubscription, ConnectionSubscriptions } from "./connection-subscriptions.js";
import type { ClientExtensions } from "./extensions.js";
import { checkFilter, type ListenFilter } from "./listen-filter.js";
import { ReconnectAttempts, type ResolvedReconnectOptions } from "./reconnect-attempts.js";
import type { ReconnectingConnection } from "./reconnecting-connection.js";

/**
 * Iterates over changes as they happen. Unread changes are kept once per list, resource and topic. Iteration ends when either side ends
 * the subscription, and throws when the connection is lost for good.
 */
export class Subscription implements AsyncIterable<ServerChange, undefined>, AsyncDisposable {
  /** The part of the filter that the server agreed to announce. */
  readonly honored: ListenFilter;
  readonly #queue: ChangeQueue;
  readonly #onClose: () => void | Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(honored: ListenFilter, queue: ChangeQueue, onClose: () => void | Promise<void>) {
    this.honored = honored;
    this.#queue = queue;
    this.#onClose = onClose;
  }

  /** Ends the subscription and drops unread changes. Leaving a `for await` loop does the same. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Not a generator, whose return() would wait for a pending next(), and so for a change.
  [Symbol.asyncIterator](): AsyncIterator<ServerChange, undefined> {
    return {
      next: () => this.#queue.next(),
      return: async () => {
        await this.close();
        return { done: true, value: undefined };
      },
    };
  }

  async #close(): Promise<void> {
    this.#queue.clear();
    if (this.#queue.end()) await this.#onClose();
  }
}

type ConnectionState = Pick<ReconnectingConnection, "ready" | "isOver">;

export interface SubscriptionsOptions {
  /** Time for the server to acknowledge. The subscription itself has no time limit. @defaultValue 60_000 */
  readonly timeoutMs?: number | undefined;
  readonly reconnect: ResolvedReconnectOptions | undefined;
  readonly extensions: Pick<ClientExtensions, "listenFilter" | "supportedFilters">;
}

/** Errors of the network, as opposed to a refusal by the server. */
const LOSSES: ReadonlySet<string> = new Set(["connection-closed", "stream-ended", "session-expired"]);

export class Subscriptions {
  readonly #connection: ConnectionState;
  readonly #perConnection: ConnectionSubscriptions;
  readonly #reconnect: ResolvedReconnectOptions | undefined;
  readonly #extensions: SubscriptionsOptions["extensions"];
  readonly #open = new Set<RestoredSubscription>();

  constructor(connection: ConnectionState, send: SendCall, listeners: ChangeListeners, options: SubscriptionsOptions) {
    this.#connection = connection;
    this.#perConnection = new ConnectionSubscriptions(send, listeners, options.extensions, options.timeoutMs);
    this.#reconnect = options.reconnect;
    this.#extensions = options.extensions;
  }

  async open(filter: ListenFilter): Promise<Subscription> {
    checkFilter(filter, (known) => this.#extensions.listenFilter(known.name)?.definition === known);
    this.#checkConnection();
    const queue = new ChangeQueue(filter);
    const first = await this.#perConnection.open(await this.#connection.ready(), filter, queue);
    this.#checkConnection();
    const kept = new RestoredSubscription(this.#connection, this.#perConnection, filter, queue, first);
    this.#open.add(kept);
    const attempts = this.#reconnect && new ReconnectAttempts(this.#reconnect);
    void kept.run(attempts).then(() => this.#open.delete(kept));
    return new Subscription(first.honored, queue, () => kept.stop());
  }

  /** Ends every subscription without an error, including those that are being restored. Called when the client is closed. */
  end(): void {
    for (const kept of this.#open) kept.end();
  }

  /** Checked before and after the opening: a legacy subscription to lists sends no request that would fail. */
  #checkConnection(): void {
    if (!this.#connection.isOver) return;
    throw new SdkError("connection-closed", "listen: the connection is closed; connect another client");
  }
}

/** One subscription, opened again on each connection that replaces a lost one. */
class RestoredSubscription {
  readonly #connection: ConnectionState;
  readonly #perConnection: ConnectionSubscriptions;
  readonly #filter: ListenFilter;
  readonly #queue: ChangeQueue;
  readonly #closing = new AbortController();
  #current: ConnectionSubscription;

  constructor(
    connection: ConnectionState,
    perConnection: ConnectionSubscriptions,
    filter: ListenFilter,
    queue: ChangeQueue,
    first: ConnectionSubscription,
  ) {
    this.#connection = connection;
    this.#perConnection = perConnection;
    this.#filter = filter;
    this.#queue = queue;
    this.#current = first;
  }

  /** Resolves when the subscription has ended. */
  async run(attempts: ReconnectAttempts | undefined): Promise<void> {
    for (;;) {
      const loss = await this.#current.ended;
      attempts?.lost();
      const end = await this.#restore(loss, attempts);
      if (end) {
        this.#queue.end(end.error);
        return;
      }
      // The server announced no changes between the loss and now.
      this.#queue.put({ kind: "restored" });
    }
  }

  /** Ends the subscription at the server too. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#current.stop();
  }

  /** Ends the subscription on this side only, for a client that closes its connection. */
  end(): void {
    this.#closing.abort();
    this.#queue.end();
  }

  /** Opens the subscription again. Undefined once it is open; otherwise how the subscription ended. */
  async #restore(
    first: Error | undefined,
    attempts: ReconnectAttempts | undefined,
  ): Promise<{ readonly error: Error | undefined } | undefined> {
    const { signal } = this.#closing;
    let loss = first;
    while (isLoss(loss) && attempts && !this.#connection.isOver && (await attempts.next(signal))) {
      try {
        const restored = await this.#perConnection.open(await this.#connection.ready(), this.#filter, this.#queue);
        if (signal.aborted) {
          // `stop` and `end` have ended only the earlier subscription.
          await restored.stop();
          return { error: undefined };
        }
        this.#current = restored;
        attempts.opened();
        return undefined;
      } catch (error) {
        loss = error as Error;
      }
    }
    return { error: loss };
  }
}

function isLoss(error: Error | undefined): boolean {
  if (!(error instanceof SdkError)) return false;
  // A gateway without its server answers 5xx. Any other status is the server's refusal.
  return LOSSES.has(error.code) || (error.code === "http-error" && (error.status ?? 0) >= 500);
}
