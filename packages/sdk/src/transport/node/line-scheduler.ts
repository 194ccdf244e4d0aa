/**
 * Schedules the delivery of lines across connections: 5 ms per turn of the event loop for all connections together. Connections
 * with remaining lines are served round-robin, one line each. Knows neither streams nor messages.
 */

/** Bound at load time, so that tests with fake timers do not stop delivery. */
const { setImmediate: atEndOfTurn } = globalThis;

const MAX_TURN_MS = 5;

/** The thread has one event loop, so it has one queue. Each connection is in it once. */
let waiting: LineScheduler<unknown>[] = [];
/** Undefined between turns. */
let turnEndsAt: number | undefined;

/** The lines of one connection. */
export class LineScheduler<Line> {
  readonly #deliver: (line: Line) => void;
  readonly #onDelivered: () => void;
  #lines: readonly Line[] = [];
  #next = 0;
  #isHeld = false;
  /** Is in `waiting`. */
  #isQueued = false;

  /** `deliver` must not throw. `onDelivered` is called when all lines that had to wait were delivered. */
  constructor(deliver: (line: Line) => void, onDelivered: () => void) {
    this.#deliver = deliver;
    this.#onDelivered = onDelivered;
  }

  get isWaiting(): boolean {
    return this.#next < this.#lines.length;
  }

  /** Delivers lines in the order in which they were added. True if all were delivered, false if some wait. */
  add(lines: readonly Line[]): boolean {
    if (this.isWaiting) {
      this.#lines = [...this.#lines.slice(this.#next), ...lines];
      this.#next = 0;
      return false;
    }
    this.#lines = lines;
    this.#next = 0;
    while (this.isWaiting && !this.#isHeld && waiting.length === 0 && hasTime()) this.#deliverNext();
    if (!this.isWaiting) return true;
    this.#enqueue();
    return false;
  }

  /** Delivers no further line until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    if (this.isWaiting) this.#enqueue();
    else this.#onDelivered();
  }

  /** The turn of this connection: delivers one line. */
  takeTurn(): void {
    this.#isQueued = false;
    if (this.#isHeld) return;
    this.#deliverNext();
    if (this.isWaiting) this.#enqueue();
    else this.#onDelivered();
  }

  #deliverNext(): void {
    // Called only while a line waits.
    this.#deliver(this.#lines[this.#next++] as Line);
    if (!this.isWaiting) this.#lines = [];
  }

  #enqueue(): void {
    if (this.#isHeld || this.#isQueued) return;
    this.#isQueued = true;
    waiting.push(this as LineScheduler<unknown>);
    // Begins a turn if there is none.
    hasTime();
  }
}

/** Whether time is left in the current turn. Begins a turn if there is none. */
function hasTime(): boolean {
  if (turnEndsAt === undefined) {
    turnEndsAt = performance.now() + MAX_TURN_MS;
    atEndOfTurn(deliverWaiting);
    return true;
  }
  return performance.now() < turnEndsAt;
}

function deliverWaiting(): void {
  turnEndsAt = undefined;
  let next = 0;
  for (; next < waiting.length && hasTime(); next += 1) {
    (waiting[next] as LineScheduler<unknown>).takeTurn(); // Within the array.
  }
  waiting = waiting.slice(next);
}
