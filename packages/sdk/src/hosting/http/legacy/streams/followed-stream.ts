/**
 * A stream that another process writes, and that the client has resumed here. Sends the stored events, and then those that the
 * writer publishes, once and in order. Ends if the writer has died, so that the client does not wait forever.
 */
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import { cannotResume } from "../refusals.js";
import type { Reply, SessionLink } from "../sessions/session-link.js";
import type { EventConnection } from "./event-connection.js";
import type { StoredEvent } from "./event-store.js";
import { type Connect, eventId, primingEvent, readAfter, type StreamLog } from "./stored-stream.js";

/** The time between two questions whether the writer lives. */
const CHECK_MS = 2_000;

export class FollowedStream {
  readonly id: string;
  readonly #log: StreamLog;
  readonly #link: SessionLink;
  readonly #onOver: () => void;
  #connection: EventConnection | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastSent = 0;
  #reading: Promise<void> | undefined;
  /** The read after the present one. */
  #nextRead: Promise<void> | undefined;
  #checking: Promise<void> | undefined;
  /** What the writer did while the store was read. */
  #early: (() => void) | undefined;
  #isOver = false;

  constructor(id: string, log: StreamLog, link: SessionLink, onOver: () => void) {
    this.id = id;
    this.#log = log;
    this.#link = link;
    this.#onOver = onOver;
  }

  /** False if no process writes the stream. Rejects with a refusal if events are missing. */
  async start(after: number, connect: Connect): Promise<boolean> {
    const reply = await this.#link.ask({ kind: "follow", stream: this.id, isCheck: false });
    if (reply?.numbers === undefined) return false;
    const events = await readAfter(this.#log, this.id, after);
    const isWhole = events.every(({ number }, index) => number === after + 1 + index);
    if (!isWhole || after + events.length < reply.numbers.lastNumber) throw cannotResume();
    if (this.#isOver) throw cannotResume();
    this.#lastSent = after;
    this.#connection = connect();
    // Before the first write, which ends the stream if the client has left.
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
    this.#prime();
    for (const event of events) this.#write(event);
    // Events that were published while the store was read.
    void this.#catchUp();
    this.#early?.();
    return true;
  }

  /** Receives an event that the writer has published. */
  event(number: number, text: string): void {
    if (this.#connection === undefined || number <= this.#lastSent) return;
    if (this.#reading === undefined && number === this.#lastSent + 1) this.#write({ number, data: text });
    else void this.#catchUp();
  }

  /** The writer has finished the stream. */
  finished(): void {
    if (this.#connection === undefined) this.#early = () => this.finished();
    else void this.#catchUp().then(() => this.end());
  }

  /** The client must connect again. */
  paused(): void {
    if (this.#connection === undefined) this.#early = () => this.paused();
    else
      void this.#catchUp().then(() => {
        this.#prime();
        this.end();
      });
  }

  /** Ends the connection here: the client has resumed the stream elsewhere, or the session has ended. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#connection?.end();
    this.#onOver();
  }

  /** Ends the stream if its writer does not reply. Calls during a check share it. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    if (this.#connection?.isOpen === false) return this.end();
    const question = { kind: "follow", stream: this.id, isCheck: true } as const;
    const reply = await this.#link.ask(question).catch(() => "unknown" as const);
    // Reading the store costs all events of the session, so a stream that has sent everything does not.
    const isBehind = reply === undefined || reply === "unknown" || this.#isBehind(reply);
    if (isBehind) await this.#catchUp();
    if (reply === undefined) this.end();
  }

  /** Whether events were lost on their way. */
  #isBehind({ numbers }: Reply): boolean {
    return numbers === undefined || numbers.lastNumber > this.#lastSent;
  }

  /** Reads the events after the last one. Calls during a read share the read after it. Never rejects. */
  #catchUp(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#nextRead ??= this.#reading.then(() => {
      this.#nextRead = undefined;
      return this.#catchUp();
    });
    return this.#nextRead;
  }

  async #read(): Promise<void> {
    if (!this.#connection?.isOpen) return;
    try {
      for (const event of await readAfter(this.#log, this.id, this.#lastSent)) this.#write(event);
    } catch {
      // `readAfter` has reported it. The next check reads again.
    }
  }

  #write({ number, data }: StoredEvent): void {
    if (number !== this.#lastSent + 1) return;
    if (this.#connection?.write(encodeEvent({ id: eventId(this.id, number), data }))) this.#lastSent = number;
    else this.end();
  }

  #prime(): void {
    if (this.#log.primes) this.#connection?.write(primingEvent(this.#log, this.id, this.#lastSent));
  }
}
