/** Stores of events for resumable streams: the interface, and a bounded store in memory. */
import { checkLimit } from "../../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../../errors/option-table.js";
import { BoundedMap } from "../../../../runtime/bounded-map.js";
import { RankedHeap } from "../../../../runtime/ranked-heap.js";

/** One event of a stream. */
export interface StoredEvent {
  /** Counts from 1 within its stream, without gaps. */
  readonly number: number;
  /** A JSON-RPC message as text. */
  readonly data: string;
}

/**
 * An asynchronous store, possibly over a network. One process at a time writes to a stream, one event after the other. The
 * server deletes streams and sessions that have ended. The store must also expire events, since the process may die first.
 */
export interface EventStore {
  /**
   * Resolves with false, and stores nothing, if a `claim` of the stream has resolved with a greater number than `claimed`. Any other
   * value is ignored.
   */
  append(sessionId: string, streamId: string, event: StoredEvent, claimed?: number): Promise<unknown>;
  /** The events of the stream whose number is greater than `after`, in order. Empty if there are none. */
  read(sessionId: string, streamId: string, after: number): Promise<readonly StoredEvent[]>;
  deleteStream(sessionId: string, streamId: string): Promise<void>;
  deleteSession(sessionId: string): Promise<void>;
  /**
   * Makes the caller the only process that may append to the stream. Resolves with a positive integer that is greater than those of all
   * earlier claims. Atomic among all processes. Needed with a `sessionChannel`: a process that hung must not write any more. A
   * claim lasts until its session is deleted, or longer than a process can hang: a day at least.
   */
  claim?(sessionId: string, streamId: string): Promise<number>;
}

/**
 * Over a limit, the store drops the oldest events of the session, or of the session with the most bytes. A client that resumes from a
 * dropped event is refused.
 */
export interface InMemoryEventStoreOptions {
  /** Events of one session. @defaultValue 1_000 */
  readonly maxEvents?: number | undefined;
  /** Bytes of one session's events, counted as two per character and 200 per event. @defaultValue 1_048_576 */
  readonly maxBytes?: number | undefined;
  /** Bytes of the events of all sessions together, counted in the same way. @defaultValue 67_108_864 */
  readonly maxTotalBytes?: number | undefined;
  /** Drop an event that is this old. @defaultValue 300_000 */
  readonly maxAgeMs?: number | undefined;
}

const OPTIONS: OptionTable<InMemoryEventStoreOptions> = {
  maxEvents: true,
  maxBytes: true,
  maxTotalBytes: true,
  maxAgeMs: true,
};

interface Row {
  readonly sessionId: string;
  readonly streamId: string;
  readonly event: StoredEvent;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** Rows in insertion order. A set finds the oldest row and deletes any row in constant time. */
interface SessionRows {
  readonly rows: Set<Row>;
  readonly streams: Map<string, Set<Row>>;
  /** Orders sessions with equal bytes: the oldest first. */
  readonly number: number;
  bytes: number;
}

// Memory of a row besides its text.
const ROW_BYTES = 200;
/** Sessions with claimed streams. Beyond the limit, the oldest claims are forgotten. */
const MAX_CLAIMS = 10_000;

/**
 * Events in this process. Clients resume lost streams from it.
 *
 * @example
 * await serveHttp(server, { legacy: { eventStore: new InMemoryEventStore({ maxAgeMs: 60_000 }) } });
 */
export class InMemoryEventStore implements EventStore {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #maxTotalBytes: number;
  readonly #maxAgeMs: number;
  readonly #rows = new Set<Row>();
  readonly #sessions = new Map<string, SessionRows>();
  readonly #heaviest = new RankedHeap<SessionRows>(
    (one, other) => one.bytes > other.bytes || (one.bytes === other.bytes && one.number < other.number),
  );
  readonly #claims = new BoundedMap<string, Map<string, number>>({ maxEntries: MAX_CLAIMS, maxWeight: MAX_CLAIMS });
  #opened = 0;
  #bytes = 0;

  /** @throws {SdkError} `invalid-argument` for an unknown option, or a limit that is no number from 1. */
  constructor(options: InMemoryEventStoreOptions = {}) {
    checkOptions("InMemoryEventStore", options, OPTIONS);
    this.#maxEvents = limit("maxEvents", options, 1_000);
    this.#maxBytes = limit("maxBytes", options, 1_048_576);
    this.#maxTotalBytes = limit("maxTotalBytes", options, 67_108_864);
    this.#maxAgeMs = limit("maxAgeMs", options, 300_000);
  }

  /** Number of stored events. */
  get size(): number {
    return this.#rows.size;
  }

  async append(sessionId: string, streamId: string, event: StoredEvent, claimed = 0): Promise<unknown> {
    if (claimed < (this.#claims.get(sessionId)?.get(streamId) ?? 0)) return false;
    const now = Date.now();
    const bytes = event.data.length * 2 + ROW_BYTES;
    const row: Row = { sessionId, streamId, event, bytes, expiresAt: now + this.#maxAgeMs };
    const session = this.#session(sessionId);
    this.#rows.add(row);
    session.rows.add(row);
    streamOf(session, streamId).add(row);
    session.bytes += bytes;
    this.#bytes += bytes;
    this.#heaviest.update(session);
    this.#dropOldest(session.rows, () => session.rows.size > this.#maxEvents || session.bytes > this.#maxBytes);
    this.#dropOldest(this.#rows, (oldest) => oldest.expiresAt <= now);
    while (this.#bytes > this.#maxTotalBytes) this.#dropHeaviest();
    return true;
  }

  async read(sessionId: string, streamId: string, after: number): Promise<readonly StoredEvent[]> {
    const now = Date.now();
    this.#dropOldest(this.#rows, (oldest) => oldest.expiresAt <= now);
    const rows = this.#sessions.get(sessionId)?.streams.get(streamId) ?? [];
    return [...rows].map((row) => row.event).filter((event) => event.number > after);
  }

  async deleteStream(sessionId: string, streamId: string): Promise<void> {
    this.#deleteRows(this.#sessions.get(sessionId)?.streams.get(streamId));
  }

  async deleteSession(sessionId: string): Promise<void> {
    this.#claims.delete(sessionId);
    this.#deleteRows(this.#sessions.get(sessionId)?.rows);
  }

  async claim(sessionId: string, streamId: string): Promise<number> {
    const claims = this.#claims.get(sessionId) ?? new Map<string, number>();
    // The time is beyond the claims that were forgotten.
    const claimed = Math.max(Date.now(), (claims.get(streamId) ?? 0) + 1);
    this.#claims.set(sessionId, claims.set(streamId, claimed), 1);
    return claimed;
  }

  #session(id: string): SessionRows {
    const found = this.#sessions.get(id);
    if (found) return found;
    this.#opened += 1;
    const made: SessionRows = { rows: new Set(), streams: new Map(), number: this.#opened, bytes: 0 };
    this.#sessions.set(id, made);
    return made;
  }

  #dropOldest(rows: ReadonlySet<Row>, mustGo: (oldest: Row) => boolean): void {
    for (const row of rows) {
      if (!mustGo(row)) return;
      this.#delete(row);
    }
  }

  /** A session that fills the store loses its own events, and those of others stay. */
  #dropHeaviest(): void {
    // A store with bytes has a session with rows.
    const { rows } = this.#heaviest.first() as SessionRows;
    for (const oldest of rows) {
      this.#delete(oldest);
      return;
    }
  }

  #deleteRows(rows: ReadonlySet<Row> | undefined): void {
    for (const row of rows ?? []) this.#delete(row);
  }

  #delete(row: Row): void {
    // A row is in all three places or in none.
    const session = this.#session(row.sessionId);
    const stream = streamOf(session, row.streamId);
    this.#rows.delete(row);
    session.rows.delete(row);
    stream.delete(row);
    this.#bytes -= row.bytes;
    session.bytes -= row.bytes;
    if (stream.size === 0) session.streams.delete(row.streamId);
    this.#heaviest.update(session);
    if (session.rows.size > 0) return;
    this.#sessions.delete(row.sessionId);
    this.#heaviest.delete(session);
  }
}

function streamOf(session: SessionRows, id: string): Set<Row> {
  const found = session.streams.get(id);
  if (found) return found;
  const made = new Set<Row>();
  session.streams.set(id, made);
  return made;
}

function limit(name: keyof InMemoryEventStoreOptions, options: InMemoryEventStoreOptions, fallback: number): number {
  const { [name]: value = fallback } = options;
  checkLimit(name, value);
  return value;
}
