/**
 * A stream that outlives its connections: every event is numbered and kept, and a client that comes back gets what it
 * missed, once and in order. What happens to a stream happens in turn, since the store is asynchronous.
 */
import type { RequestLoad } from "../../../../dispatch/request-limits.js";
import { SdkError } from "../../../../errors/sdk-error.js";
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import { cannotResume, storeFailed } from "../refusals.js";
import type { EventConnection } from "./event-connection.js";
import type { EventStore, StoredEvent } from "./event-store.js";
import type { EventStream, Outgoing } from "./event-stream.js";

/** What the streams of one session share. */
export interface StreamLog {
  readonly store: EventStore;
  readonly sessionId: string;
  readonly retryMs: number;
  /** The resumes that wait for the store. */
  readonly resumes: RequestLoad;
  /** Whether the client knows events without data, whose id and `retry` alone matter (2025-11-25). */
  readonly primes: boolean;
  readonly report: (error: Error) => void;
}

export type Connect = () => EventConnection;

// Characters that may wait for a slow store.
const MAX_WAITING = 1_048_576;

export class StoredStream implements EventStream {
  readonly id: string = crypto.randomUUID();
  readonly #log: StreamLog;
  readonly #onFinished: () => void;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #issued = 0;
  #kept = 0;
  #heard = 0;
  #connection: EventConnection | undefined;
  #isExpectingListener = false;
  #isOver = false;

  constructor(log: StreamLog, onFinished: () => void) {
    this.#log = log;
    this.#onFinished = onFinished;
  }

  get isConnected(): boolean {
    return this.#isExpectingListener || this.#connection?.isOpen === true;
  }

  /** Sends what comes from now on over a connection. */
  attach(connection: EventConnection): void {
    this.#connection?.end();
    this.#connection = connection;
    this.#prime(connection, this.#heard);
  }

  emit({ kind, text }: Outgoing): Promise<void> {
    if (kind !== "answer" && this.#waiting + text.length > MAX_WAITING) {
      return Promise.reject(new SdkError("too-large", "The event store is too slow: too much waits to be kept"));
    }
    this.#waiting += text.length;
    this.#issued += 1;
    const event: StoredEvent = { number: this.#issued, data: text };
    return this.#inTurn(async () => {
      if (this.#isOver) return;
      await this.#keep(event);
      this.#waiting -= text.length;
      this.#kept = event.number;
      this.#deliver(event);
    });
  }

  /** Goes on after an event that the client has seen. Rejects with a refusal, and leaves all as it was, if it cannot. */
  resume(after: number, connect: Connect): Promise<void> {
    return this.#inTurn(async () => {
      const events = await readAfter(this.#log, this.id, after);
      if (after + events.length !== this.#kept) throw cannotResume();
      this.#replay(after, events, connect);
    });
  }

  /** Goes on after the last event that was sent to anybody; what the store has dropped since is lost. */
  listen(connect: Connect): Promise<void> {
    this.#isExpectingListener = true;
    const listening = this.#inTurn(async () => {
      const events = await readAfter(this.#log, this.id, this.#heard);
      this.#replay(this.#heard, events, connect);
    });
    return listening.finally(() => {
      this.#isExpectingListener = false;
    });
  }

  /** Ends the connection and not the stream, for the client to come back later. */
  pause(): void {
    void this.#inTurn(async () => {
      if (this.#connection?.isOpen) this.#prime(this.#connection, this.#heard);
      this.#connection?.end();
    });
  }

  finish(isForgotten: boolean): void {
    void this.#inTurn(async () => {
      this.#isOver = true;
      this.#connection?.end();
      if (isForgotten) await guard(this.#log, () => this.#log.store.deleteStream(this.#log.sessionId, this.id));
      this.#onFinished();
    });
  }

  abandon(lastWords: readonly string[]): void {
    // Past the store: nobody can come back for them.
    for (const data of lastWords) this.#connection?.write(encodeEvent({ data }));
    this.finish(false);
  }

  /** The session is over. Resolves when nothing more will be written to the store. */
  abort(): Promise<void> {
    this.#isOver = true;
    this.#connection?.end();
    return this.#turn;
  }

  /** Resolves when everything emitted so far has been stored and sent. */
  written(): Promise<void> {
    return this.#turn;
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const acted = this.#turn.then(act);
    this.#turn = acted.catch(() => undefined);
    return acted;
  }

  async #keep(event: StoredEvent): Promise<void> {
    const { store, sessionId } = this.#log;
    // An event that could not be kept still reaches a client that is connected.
    await guard(this.#log, () => store.append(sessionId, this.id, event));
  }

  #deliver(event: StoredEvent): void {
    const id = eventId(this.id, event.number);
    if (this.#connection?.write(encodeEvent({ id, data: event.data }))) this.#heard = event.number;
  }

  #replay(after: number, events: readonly StoredEvent[], connect: Connect): void {
    const connection = connect();
    this.#heard = after;
    this.attach(connection);
    for (const event of events) this.#deliver(event);
    if (this.#isOver) connection.end();
  }

  #prime(connection: EventConnection, number: number): void {
    const { primes, retryMs } = this.#log;
    if (primes) connection.write(encodeEvent({ id: eventId(this.id, number), retry: retryMs, data: "" }));
  }
}

/** Event ids are unique in a session and say which stream they belong to. */
function eventId(streamId: string, number: number): string {
  return `${streamId}.${number}`;
}

export function parseEventId(id: string): { readonly streamId: string; readonly number: number } | undefined {
  const [, streamId, number] = /^([0-9a-f-]{36})\.(\d{1,15})$/.exec(id) ?? [];
  return streamId === undefined ? undefined : { streamId, number: Number(number) };
}

/** What a stream that has ended still has for a client. Rejects with a refusal if that is nothing, or has gaps. */
export async function replayEnded(log: StreamLog, streamId: string, after: number, connect: Connect): Promise<void> {
  const events = await readAfter(log, streamId, after);
  const isWhole = events.length > 0 && events.every((event, index) => event.number === after + 1 + index);
  if (!isWhole) throw cannotResume();
  const connection = connect();
  for (const { number, data } of events) connection.write(encodeEvent({ id: eventId(streamId, number), data }));
  connection.end();
}

async function readAfter(log: StreamLog, streamId: string, after: number): Promise<readonly StoredEvent[]> {
  const events = await guard(log, () => log.store.read(log.sessionId, streamId, after));
  if (!events) throw storeFailed();
  return events;
}

/** A store that fails is reported, and never fails a request by itself. */
async function guard<Value>(log: StreamLog, act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch (cause) {
    log.report(new SdkError("handler-failed", "The event store failed", { cause }));
    return undefined;
  }
}
