/**
 * Delivers the changes of a bus to the connections of one server. A change reaches a bounded number of connections per turn
 * of the event loop, so that thousands of subscribers do not delay requests. The feed is subscribed to the bus while it has
 * listeners.
 */
import { createReport, type Report, runGuarded } from "../../dispatch/error-report.js";
import { SdkError } from "../../errors/sdk-error.js";
import { type Change, type ChangeBus, changeKey } from "./change-bus.js";

/** Writing to this many connections takes 1 to 3 ms. */
const MAX_PER_TURN = 25;
/** Changes that wait for an earlier one to be delivered. Beyond it they are delivered in one turn, so that none is lost. */
const MAX_WAITING = 1_024;

interface Listener {
  readonly hear: (change: Change) => void;
}

interface DeliveredChange {
  readonly change: Change;
  readonly listeners: IterableIterator<Listener>;
}

export class ChangeDelivery implements Pick<ChangeBus, "subscribe"> {
  readonly #bus: ChangeBus;
  readonly #report: Report;
  readonly #listeners = new Set<Listener>();
  /** Changes that no listener has heard yet, by `changeKey`: of two equal ones the first is enough. */
  readonly #waiting = new Map<string, Change>();
  /** The change that is being delivered. */
  #current: DeliveredChange | undefined;
  /** Also between two turns of a delivery. */
  #isDelivering = false;
  #leaveBus: (() => void) | undefined;

  constructor(bus: ChangeBus, onError: (error: Error) => void) {
    this.#bus = bus;
    this.#report = createReport(onError);
  }

  /** @throws the error of the bus, if it refuses or cannot be left. */
  subscribe(hear: (change: Change) => void): () => void {
    this.#leaveBus ??= this.#bus.subscribe((change) => this.#take(change));
    const listener = { hear };
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      const leave = this.#leaveBus;
      this.#leaveBus = undefined;
      leave?.();
    };
  }

  #take(change: Change): void {
    this.#waiting.set(changeKey(change), change);
    if (!this.#isDelivering) this.#deliver(MAX_PER_TURN);
    else if (this.#waiting.size > MAX_WAITING) this.#deliver(Number.POSITIVE_INFINITY);
  }

  #deliver(maxCalls: number): void {
    this.#isDelivering = true;
    for (let calls = 0; calls < maxCalls; ) {
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
        this.#call(next.value, change);
      }
    }
    setTimeout(() => this.#deliver(MAX_PER_TURN), 0);
  }

  #next(): DeliveredChange | undefined {
    for (const [key, change] of this.#waiting) {
      this.#waiting.delete(key);
      // Whoever subscribes from here on has seen the state after the change.
      return { change, listeners: [...this.#listeners].values() };
    }
    return undefined;
  }

  #call({ hear }: Listener, change: Change): void {
    runGuarded(
      () => hear(change),
      (cause) => this.#report(new SdkError("handler-failed", "A change could not be delivered", { cause })),
    );
  }
}
