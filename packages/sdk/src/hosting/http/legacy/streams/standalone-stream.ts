/** The stream of a session that belongs to no request: what the server sends by itself. */
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import type { EventConnection } from "./event-connection.js";
import { type EventStream, type Outgoing, unreachable } from "./event-stream.js";
import type { Connect } from "./stored-stream.js";

export interface StandaloneStream extends Pick<EventStream, "emit"> {
  readonly isConnected: boolean;
  /** Connects the client, which first gets what it has not heard yet. */
  listen(connect: Connect): void | Promise<void>;
  /** Ends the connection, for whoever wants to come back. */
  pause(): void;
  /** The session is over. */
  abort(): void | Promise<void>;
}

// Characters that wait for a client to listen; beyond that the oldest messages go.
const MAX_UNHEARD = 32_768;

/** Without a store: notifications wait, within bounds, while nobody listens. */
export class WaitingStream implements StandaloneStream {
  /** Each message once: to hear of the same change twice tells a client nothing. Undefined while none waits. */
  #unheard: Set<string> | undefined;
  #unheardSize = 0;
  #connection: EventConnection | undefined;

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  emit({ kind, text }: Outgoing): void {
    if (this.#connection?.write(encodeEvent({ data: text }))) return;
    if (kind === "request")
      throw unreachable("it has no stream open, and the question belongs to no request of its own");
    this.#unheard ??= new Set();
    if (!this.#unheard.has(text)) this.#keep(text, this.#unheard);
  }

  listen(connect: Connect): void {
    this.#connection = connect();
    for (const text of this.#unheard ?? []) this.#connection.write(encodeEvent({ data: text }));
    this.#unheard = undefined;
    this.#unheardSize = 0;
  }

  pause(): void {
    this.#connection?.end();
  }

  abort(): void {
    this.#connection?.end();
  }

  #keep(text: string, unheard: Set<string>): void {
    unheard.add(text);
    this.#unheardSize += text.length;
    for (const oldest of unheard) {
      if (this.#unheardSize <= MAX_UNHEARD) return;
      unheard.delete(oldest);
      this.#unheardSize -= oldest.length;
    }
  }
}
