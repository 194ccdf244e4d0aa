/** Channels between the processes that serve one legacy session: the interface, and a channel within one process. */
import { type ShareSessions, shareSessions } from "./shared-sessions.js";

/**
 * Carries texts between processes, one channel per session, possibly over a network. All subscribers of a session get its texts
 * in the same order, the publisher included. Texts are not kept.
 */
export interface SessionChannel {
  /**
   * The function `shareSessions` of this package, which serves a session from several processes. It comes with the channel, so
   * that a bundled server without one does not contain it.
   */
  readonly shareSessions: ShareSessions;
  /** Resolves with the number of subscribers that the text was sent to. */
  publish(sessionId: string, text: string): Promise<number>;
  /**
   * Resolves once texts are heard, with a function that ends the subscription. The listener gets undefined after texts may have
   * been lost, such as by a lost connection.
   */
  subscribe(sessionId: string, listener: (text: string | undefined) => void): Promise<() => void | Promise<void>>;
}

interface Subscriber {
  readonly listener: (text: string | undefined) => void;
}

/** Joins several endpoints of one process. */
export class InMemorySessionChannel implements SessionChannel {
  readonly shareSessions: ShareSessions = shareSessions;
  readonly #subscribers = new Map<string, Set<Subscriber>>();

  /** Number of sessions with a subscriber. */
  get size(): number {
    return this.#subscribers.size;
  }

  async publish(sessionId: string, text: string): Promise<number> {
    const subscribers = [...(this.#subscribers.get(sessionId) ?? [])];
    // Microtasks run in order, so a text that a listener publishes follows this one at every subscriber.
    queueMicrotask(() => {
      for (const subscriber of subscribers) {
        if (this.#subscribers.get(sessionId)?.has(subscriber)) subscriber.listener(text);
      }
    });
    return subscribers.length;
  }

  async subscribe(sessionId: string, listener: (text: string | undefined) => void): Promise<() => void> {
    const subscriber = { listener };
    const subscribers = this.#subscribers.get(sessionId) ?? new Set();
    this.#subscribers.set(sessionId, subscribers);
    subscribers.add(subscriber);
    return () => {
      subscribers.delete(subscriber);
      if (subscribers.size === 0 && this.#subscribers.get(sessionId) === subscribers) {
        this.#subscribers.delete(sessionId);
      }
    };
  }
}
