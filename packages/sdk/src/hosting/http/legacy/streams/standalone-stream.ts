/** The standalone stream of a session: carries messages of the server that belong to no request. */
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import type { EventConnection } from "./event-connection.js";
import { type EventStream, type Outgoing, unreachable } from "./event-stream.js";
import type { Connect } from "./stored-stream.js";

export interface StandaloneStream extends Pick<EventStream, "emit"> {
  readonly isConnected: boolean;
  /** Connects the client, and first sends the messages that it has not received. */
  listen(connect: Connect): void | Promise<void>;
  /** Ends the connection. The client may connect again. */
  pause(): void;
  /** Ends the stream with its session. */
  abort(): void | Promise<void>;
}

// Characters of waiting messages. Over the limit, the oldest messages are dropped.
const MAX_UNHEARD = 32_768;

/** The stream without an event store: notifications wait in memory while no client is connected. */
export class WaitingStream implements StandaloneStream {
  /** Waiting messages without duplicates: a repeated change notification adds no information. Undefined if none waits. */
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
