/** A receiver for tests of transports: keeps what arrives in order, and lets a test wait for the next of it. */
import type { TransportReceiver } from "../transport.js";

export type Arrival =
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "unreadable"; readonly error: Error }
  | { readonly kind: "closed"; readonly error: Error | undefined };

export class RecordingReceiver implements TransportReceiver {
  readonly #arrived: Arrival[] = [];
  readonly #waiting: ((arrival: Arrival) => void)[] = [];

  receive(message: unknown): void {
    this.#push({ kind: "message", message });
  }

  receiveUnparsable(error: Error): void {
    this.#push({ kind: "unreadable", error });
  }

  closed(error?: Error): void {
    this.#push({ kind: "closed", error });
  }

  /** The next that arrived, or will. */
  next(): Promise<Arrival> {
    const arrival = this.#arrived.shift();
    if (arrival) return Promise.resolve(arrival);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What arrived and nobody has taken. */
  get rest(): readonly Arrival[] {
    return this.#arrived;
  }

  #push(arrival: Arrival): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(arrival);
    else this.#arrived.push(arrival);
  }
}
