/**
 * Delivers the changes of a bus to the connections of one server. A change reaches a bounded number of connections per turn
 * of the event loop, so that thousands of subscribers do not delay requests. It is subscribed to the bus only while it has
 * listeners.
 */

import { SdkError } from "../../errors/sdk-error.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { type AnnouncedChange, type ChangeBus, changeKey } from "./change-bus.js";

interface Turn {
  readonly maxDeliveries: number;
  /** Calls of listeners, including those that do not want the change. */
  readonly maxCalls: number;
}

/** Measured: writing to 25 connections takes 1 to 3 ms, and 1,000 calls without a delivery about 1 ms. */
const SHORT: Turn = { maxDeliveries: 25, maxCalls: 1_000 };
const ENDLESS: Turn = { maxDeliveries: Number.POSITIVE_INFINITY, maxCalls: Number.POSITIVE_INFINITY };
/** Changes that wait for the delivery of an earlier one. Beyond the limit all are delivered in one turn, so that none is lost. */
const MAX_WAITING = 10_000;

/** Returns true if it delivered the change. Any other value means that it did not want it. */
type ChangeCallback = (change: AnnouncedChange) => unknown;

interface Listener {
  readonly callback: ChangeCallback;
}

interface DeliveredChange {
  readonly change: AnnouncedChange;
  readonly listeners: IterableIterator<Listener>;
}

export class ChangeDelivery implements Pick<ChangeBus, "subscribe"> {
  readonly #bus: ChangeBus;
  readonly #report: ErrorCallback;
  readonly #listeners = new Set<Listener>();
  /** Changes whose delivery has not begun, by `changeKey`. Equal changes are delivered once. */
  readonly #waiting = new Map<string, AnnouncedChange>();
  /** The change that is being delivered. */
  #current: DeliveredChange | undefined;
  /** Also true between two turns of a delivery. */
  #isDelivering = false;
  /** The timer of the next turn. */
  #nextTurn: ReturnType<typeof setTimeout> | undefined;
  #leaveBus: (() => void) | undefined;

  constructor(bus: ChangeBus, onError: (error: Error) => void) {
    this.#bus = bus;
    this.#report = createErrorCallback(onError);
  }

  /** @throws the error of the bus. So does the returned function, if unsubscribing from the bus fails. */
  subscribe(callback: ChangeCallback): () => void {
    this.#leaveBus ??= this.#bus.subscribe((change) => this.deliver(change));
    const listener = { callback };
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      const leave = this.#leaveBus;
      this.#leaveBus = undefined;
      leave?.();
    };
  }

  /** Delivers a change that did not come over the bus: every process learns of it by itself. */
  deliver(change: AnnouncedChange): void {
    this.#waiting.set(changeKey(change), change);
    if (!this.#isDelivering) this.#deliver(SHORT);
    else if (this.#waiting.size > MAX_WAITING) this.#deliver(ENDLESS);
  }

  #deliver({ maxDeliveries, maxCalls }: Turn): void {
    this.#isDelivering = true;
    // Set if a long turn begins before the next short one.
    clearTimeout(this.#nextTurn);
    let deliveries = 0;
    for (let calls = 0; calls < maxCalls && deliveries < maxDeliveries; ) {
      this.#current ??= this.#next();
      if (this.#current === undefined) {
        this.#isDelivering = false;
        return;
      }
      const { change, listeners } = this.#current;
      const next = listeners.next();
      if (next.done) this.#current = undefined;
      else if (this.#listeners.has(next.value)) {
        calls += 1;
        if (this.#call(next.value, change)) deliveries += 1;
      }
    }
    this.#nextTurn = setTimeout(() => this.#deliver(SHORT), 0);
  }

  #next(): DeliveredChange | undefined {
    for (const [key, change] of this.#waiting) {
      this.#waiting.delete(key);
      // A copy: connections that subscribe from now on see the state after the change.
      return { change, listeners: [...this.#listeners].values() };
    }
    return undefined;
  }

  #call({ callback }: Listener, change: AnnouncedChange): boolean {
    let returned: unknown;
    runGuarded(
      () => {
        returned = callback(change);
        return returned;
      },
      (cause) => this.#report(new SdkError("handler-failed", "A change could not be delivered", { cause })),
    );
    return returned === true;
  }
}
