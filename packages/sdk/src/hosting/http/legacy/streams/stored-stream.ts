/**
 * A resumable stream: every event is numbered and stored. A client that reconnects gets the events that it missed, once and
 * in order. All operations on a stream run one after the other, since the store is asynchronous.
 */
import type { RequestLoad } from "../../../../dispatch/request-limits.js";
import { SdkError } from "../../../../errors/sdk-error.js";
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import { cannotResume, storeFailed } from "../refusals.js";
import type { ChannelBody, StreamNumbers } from "../sessions/channel-message.js";
import type { EventConnection } from "./event-connection.js";
import type { EventStore, StoredEvent } from "./event-store.js";
import type { EventStream, Outgoing } from "./event-stream.js";

/** The state that the streams of one session share. */
export interface StreamLog {
  readonly store: EventStore;
  readonly sessionId: string;
  readonly retryMs: number;
  /** Counts the resumes that read the event store. */
  readonly resumes: RequestLoad;
  /** Whether the client understands priming events, which have an id and `retry` but no data (2025-11-25). */
  readonly primes: boolean;
  readonly report: (error: Error) => void;
  /** Sends a message to the other processes of the session. @defaultValue none: one process has the session */
  readonly publish?: ((message: ChannelBody) => void) | undefined;
}

export type Connect = () => EventConnection;

/** Another process has claimed the stream, since this one did not reply in time. */
export class StreamClaimed extends Error {}

// Characters of events that wait for a slow store.
const MAX_WAITING_CHARACTERS = 1_048_576;

export class StoredStream implements EventStream {
  readonly id: string;
  readonly #log: StreamLog;
  readonly #onFinished: () => void;
  #lastOperation: Promise<void> = Promise.resolve();
  #waitingCharacters = 0;
  #lastNumber = 0;
  #lastStored = 0;
  #lastSent = 0;
  /** The claim of this process to the stream. */
  #claimed = 0;
  #connection: EventConnection | undefined;
  #isExpectingListener = false;
  /** Whether the client has resumed the stream at another process. */
  #isFollowed = false;
  #isOver = false;

  constructor(log: StreamLog, onFinished: () => void, id: string = crypto.randomUUID()) {
    this.#log = log;
    this.#onFinished = onFinished;
    this.id = id;
  }

  get isConnected(): boolean {
    return this.#isExpectingListener || this.#connection?.isOpen === true;
  }

  /** Sends future events over this connection, and ends the previous one. */
  attach(connection: EventConnection): void {
    this.#connection?.end();
    this.#connection = connection;
    this.#prime(connection, this.#lastSent);
    if (this.#isFollowed) this.#publish("resumed");
    this.#isFollowed = false;
  }

  /**
   * Lets another process connect the client: ends the connection here, and publishes the events from now on. With `isCheck`,
   * changes nothing. Undefined if the stream is over.
   */
  async follow(isCheck: boolean): Promise<StreamNumbers | undefined> {
    await this.#enqueue(async () => {
      if (isCheck) return;
      this.#isFollowed = true;
      this.#connection?.end();
    });
    return this.#isOver ? undefined : this.#numbers;
  }

  /** Lets another process continue the stream. Ends the connection, after all events that were emitted before. */
  async handOver(): Promise<StreamNumbers> {
    await this.#enqueue(async () => this.#connection?.end());
    return this.#numbers;
  }

  /** Continues the stream of another process. */
  adopt({ lastNumber, lastSent, claimed }: StreamNumbers): void {
    this.#claimed = claimed;
    this.#lastNumber = lastNumber;
    this.#lastStored = lastNumber;
    this.#lastSent = lastSent;
  }

  get #numbers(): StreamNumbers {
    return { lastNumber: this.#lastStored, lastSent: this.#lastSent, claimed: this.#claimed };
  }

  /** Rejects with `StreamClaimed` if another process writes the stream by now. The event is neither stored nor sent then. */
  emit({ kind, text }: Outgoing): Promise<void> {
    if (kind !== "answer" && this.#waitingCharacters + text.length > MAX_WAITING_CHARACTERS) {
      return Promise.reject(new SdkError("too-large", "The event store is too slow: too much waits to be kept"));
    }
    this.#waitingCharacters += text.length;
    this.#lastNumber += 1;
    const event: StoredEvent = { number: this.#lastNumber, data: text };
    // This process may claim the stream again before the event is stored. Its number is of the present claim.
    const claimed = this.#claimed;
    return this.#enqueue(async () => {
      if (this.#isOver) return;
      const isRefused = await this.#store(event, claimed);
      this.#waitingCharacters -= text.length;
      if (isRefused) throw new StreamClaimed("Another process has claimed the stream");
      this.#lastStored = event.number;
      this.#deliver(event);
    });
  }

  /** Continues after an event that the client has seen. Rejects with a refusal, and changes nothing, if events are missing. */
  resume(after: number, connect: Connect): Promise<void> {
    return this.#enqueue(async () => {
      const events = await readAfter(this.#log, this.id, after);
      if (after + events.length !== this.#lastStored) throw cannotResume();
      this.#replay(after, events, connect);
    });
  }

  /** Continues after the last event that was sent. Events that the store has dropped since are lost. */
  listen(connect: Connect): Promise<void> {
    this.#isExpectingListener = true;
    const listening = this.#enqueue(async () => {
      const events = await readAfter(this.#log, this.id, this.#lastSent);
      this.#replay(this.#lastSent, events, connect);
    });
    return listening.finally(() => {
      this.#isExpectingListener = false;
    });
  }

  /** Ends the connection but not the stream. The client reconnects later. */
  pause(): void {
    void this.#enqueue(async () => {
      if (this.#connection?.isOpen) this.#prime(this.#connection, this.#lastSent);
      this.#connection?.end();
      if (this.#isFollowed) this.#publish("paused");
    });
  }

  finish(isForgotten: boolean): void {
    void this.#enqueue(async () => {
      this.#over();
      if (isForgotten) await guard(this.#log, () => this.#log.store.deleteStream(this.#log.sessionId, this.id));
      this.#onFinished();
    });
  }

  abandon(lastMessages: readonly string[]): void {
    // Not stored: a stream of an ended session cannot be resumed.
    for (const data of lastMessages) this.#connection?.write(encodeEvent({ data }));
    this.finish(false);
  }

  /** Ends the stream with its session. Resolves after the last write to the store. */
  abort(): Promise<void> {
    this.#over();
    return this.#lastOperation;
  }

  /** Resolves when everything emitted so far has been stored and sent. */
  written(): Promise<void> {
    return this.#lastOperation;
  }

  #over(): void {
    this.#isOver = true;
    this.#connection?.end();
    if (this.#isFollowed) this.#publish("finished");
  }

  #publish(kind: "finished" | "paused" | "resumed"): void {
    this.#log.publish?.({ kind, stream: this.id });
  }

  #enqueue(act: () => Promise<void>): Promise<void> {
    const acted = this.#lastOperation.then(act);
    this.#lastOperation = acted.catch(() => undefined);
    return acted;
  }

  /** True if another process has claimed the stream. An event that could not be stored is still sent to a connected client. */
  async #store(event: StoredEvent, claimed: number): Promise<boolean> {
    const { store, sessionId } = this.#log;
    return (await guard(this.#log, () => store.append(sessionId, this.id, event, claimed))) === false;
  }

  #deliver(event: StoredEvent): void {
    const id = eventId(this.id, event.number);
    const { number, data: text } = event;
    if (this.#isFollowed) this.#log.publish?.({ kind: "event", stream: this.id, number, text });
    if (this.#connection?.write(encodeEvent({ id, data: event.data }))) this.#lastSent = event.number;
  }

  #replay(after: number, events: readonly StoredEvent[], connect: Connect): void {
    const connection = connect();
    this.#lastSent = after;
    this.attach(connection);
    for (const event of events) this.#deliver(event);
    if (this.#isOver) connection.end();
  }

  #prime(connection: EventConnection, number: number): void {
    if (this.#log.primes) connection.write(primingEvent(this.#log, this.id, number));
  }
}

/** An event without data, which tells the client from where to resume. */
export function primingEvent({ retryMs }: StreamLog, streamId: string, number: number): string {
  return encodeEvent({ id: eventId(streamId, number), retry: retryMs, data: "" });
}

/** Event ids are unique in a session and contain the id of their stream. */
export function eventId(streamId: string, number: number): string {
  return `${streamId}.${number}`;
}

export function parseEventId(id: string): { readonly streamId: string; readonly number: number } | undefined {
  const [, streamId, number] = /^([0-9a-f-]{36})\.(\d{1,15})$/.exec(id) ?? [];
  return streamId === undefined ? undefined : { streamId, number: Number(number) };
}

/** Sends the stored events of a stream that has ended. Rejects with a refusal if there are none, or some are missing. */
export async function replayEnded(log: StreamLog, streamId: string, after: number, connect: Connect): Promise<void> {
  const events = await readAfter(log, streamId, after);
  const isWhole = events.length > 0 && events.every((event, index) => event.number === after + 1 + index);
  if (!isWhole) throw cannotResume();
  const connection = connect();
  for (const { number, data } of events) connection.write(encodeEvent({ id: eventId(streamId, number), data }));
  connection.end();
}

export async function readAfter(log: StreamLog, streamId: string, after: number): Promise<readonly StoredEvent[]> {
  const events = await guard(log, () => log.store.read(log.sessionId, streamId, after));
  if (!events) throw storeFailed();
  return events;
}

/** Reports an error of the store and returns undefined, so that it does not fail the request. */
async function guard<Value>(log: StreamLog, act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch (cause) {
    log.report(new SdkError("handler-failed", "The event store failed", { cause }));
    return undefined;
  }
}
