/** The standalone stream of a session: carries messages of the server that belong to no request. */
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import type { EventConnection } from "./event-connection.js";
import { cannotAsk, type EventStream, type Outgoing } from "./event-stream.js";
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

/** The id of the stream of a session that several processes serve. It is the same at every process. */
export const STANDALONE_ID = "00000000-0000-4000-8000-000000000000";

// Characters of waiting messages. Over the limit, the oldest messages are dropped.
const MAX_UNSENT_CHARACTERS = 32_768;

/** The stream without an event store: notifications wait in memory while no client is connected. */
export class BufferedStream implements StandaloneStream {
  /** Waiting messages without duplicates: a repeated change notification adds no information. Undefined if none waits. */
  #unsent: Set<string> | undefined;
  #unsentCharacters = 0;
  #connection: EventConnection | undefined;

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  emit({ kind, text }: Outgoing): void {
    if (this.#connection?.write(encodeEvent({ data: text }))) return;
    if (kind === "request") throw cannotAsk("it has no stream open, and the question belongs to no request of its own");
    this.#unsent ??= new Set();
    if (!this.#unsent.has(text)) this.#keep(text, this.#unsent);
  }

  listen(connect: Connect): void {
    this.#connection = connect();
    for (const text of this.#unsent ?? []) this.#connection.write(encodeEvent({ data: text }));
    this.#unsent = undefined;
    this.#unsentCharacters = 0;
  }

  pause(): void {
    this.#connection?.end();
  }

  abort(): void {
    this.#connection?.end();
  }

  #keep(text: string, unsent: Set<string>): void {
    unsent.add(text);
    this.#unsentCharacters += text.length;
    for (const oldest of unsent) {
      if (this.#unsentCharacters <= MAX_UNSENT_CHARACTERS) return;
      unsent.delete(oldest);
      this.#unsentCharacters -= oldest.length;
    }
  }
}
