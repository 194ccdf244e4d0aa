/** Subscriptions of a client: opening them, and opening them again when the stream or the connection was lost. */
import { SdkError } from "../errors/sdk-error.js";
import type { ChangeFeed } from "./change-feed.js";
import { ChangeQueue } from "./change-queue.js";
import type { Link } from "./link.js";
import { Attaching, type Attachment } from "./listen-attachment.js";
import type { ListenFilter } from "./listen-filter.js";
import { Reconnecting, type ReconnectPlan } from "./reconnecting.js";
import { Subscription } from "./subscription.js";

/** What listening needs of the client's link. */
export type ListeningLink = Pick<Link, "ready" | "request" | "isOver">;

export interface ListeningOptions {
  /** How long a server may take to acknowledge; the subscription itself lasts as long as it is wanted. */
  readonly timeoutMs?: number | undefined;
  readonly reconnect: ReconnectPlan | undefined;
}

/** What ends with the network rather than by somebody's will. */
const LOSSES: ReadonlySet<string> = new Set(["connection-closed", "stream-ended", "session-expired"]);

export class Listening {
  readonly #link: ListeningLink;
  readonly #attaching: Attaching;
  readonly #reconnect: ReconnectPlan | undefined;

  constructor(link: ListeningLink, feed: ChangeFeed, options: ListeningOptions) {
    this.#link = link;
    this.#attaching = new Attaching(link, feed, options.timeoutMs);
    this.#reconnect = options.reconnect;
  }

  async open(filter: ListenFilter): Promise<Subscription> {
    // Legacy lists cost no request that would fail by itself.
    if (this.#link.isOver) throw new SdkError("connection-closed", "A closed connection has no subscriptions");
    const queue = new ChangeQueue(filter);
    const first = await this.#attaching.attach(await this.#link.ready(), filter, queue);
    const kept = new KeptSubscription(this.#link, this.#attaching, filter, queue, first);
    void kept.keep(this.#reconnect && new Reconnecting(this.#reconnect));
    return new Subscription(first.honored, queue, () => kept.stop());
  }
}

/** One subscription over as many attachments as it takes. */
class KeptSubscription {
  readonly #link: ListeningLink;
  readonly #attaching: Attaching;
  readonly #filter: ListenFilter;
  readonly #queue: ChangeQueue;
  readonly #closing = new AbortController();
  #attachment: Attachment;

  constructor(
    link: ListeningLink,
    attaching: Attaching,
    filter: ListenFilter,
    queue: ChangeQueue,
    attachment: Attachment,
  ) {
    this.#link = link;
    this.#attaching = attaching;
    this.#filter = filter;
    this.#queue = queue;
    this.#attachment = attachment;
  }

  /** Lasts as long as the subscription does. */
  async keep(reconnecting: Reconnecting | undefined): Promise<void> {
    for (;;) {
      const loss = await this.#attachment.over;
      reconnecting?.lost();
      const end = await this.#restore(loss, reconnecting);
      if (end) {
        this.#queue.end(end.error);
        return;
      }
      // Whatever changed in between went unheard.
      this.#queue.put({ kind: "restored" });
    }
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#attachment.stop();
  }

  /** Undefined once it is attached again. */
  async #restore(
    first: Error | undefined,
    reconnecting: Reconnecting | undefined,
  ): Promise<{ readonly error: Error | undefined } | undefined> {
    const { signal } = this.#closing;
    let loss = first;
    while (isLoss(loss) && reconnecting && !this.#link.isOver && (await reconnecting.next(signal))) {
      try {
        const attachment = await this.#attaching.attach(await this.#link.ready(), this.#filter, this.#queue);
        this.#attachment = attachment;
        reconnecting.opened();
        // Closed while it was being attached: nobody else would take it back.
        if (signal.aborted) await attachment.stop();
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
  // A gateway without its server answers 5xx; anything else is the server's own word.
  return LOSSES.has(error.code) || (error.code === "http-error" && (error.status ?? 0) >= 500);
}
