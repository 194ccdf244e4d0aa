/**
 * The stored record of a session that several processes serve. Each process reads it at every request, and replaces it by the next
 * version when it has changed the state. Changes of two processes are merged.
 */
import type { HandshakeState } from "../../../../server/handshake-state.js";
import { storeFailed } from "../refusals.js";
import { isSharedRecord, type SharedSessionRecord } from "./channel-message.js";
import type { SessionLink } from "./session-link.js";
import type { SessionRecord, SessionStore } from "./session-store.js";

/** The state of the session at this process. */
export interface RecordHost {
  readonly principal?: string | undefined;
  readonly handshake: HandshakeState | undefined;
  readonly handshakeVersion: number;
  adopt(handshake: HandshakeState): void;
}

/** Each attempt fails only if another process has written meanwhile. */
const MAX_ATTEMPTS = 10;

export class SharedRecord {
  readonly #host: RecordHost;
  readonly #link: SessionLink;
  readonly #store: SessionStore;
  readonly #idleMs: number;
  #known: SharedSessionRecord | undefined;
  /** The `handshakeVersion` of the state that is stored. */
  #storedVersion = -1;
  #saving: Promise<void> | undefined;

  constructor(host: RecordHost, link: SessionLink, store: SessionStore, idleMs: number) {
    this.#host = host;
    this.#link = link;
    this.#store = store;
    this.#idleMs = idleMs;
  }

  /** Stores a session that was opened here. */
  async create(): Promise<void> {
    const record = this.#next(0);
    const version = this.#host.handshakeVersion;
    await this.#store.set(this.#link.sessionId, record, this.#ttlMs);
    this.#known = record;
    this.#storedVersion = version;
  }

  /** Takes over a record that was read, or that another process has written. Keeps changes that are not stored yet. */
  refresh(record: SharedSessionRecord): void {
    const known = this.#known;
    if (known && record.version <= known.version) return;
    const { handshake } = this.#host;
    const isChanged = known !== undefined && !this.#isStored;
    // A session has a record only after its handshake.
    const ours = handshake as HandshakeState;
    try {
      if (isChanged) this.#host.adopt(merge(known.handshake, ours, record.handshake));
      else if (known && !isSameState(ours, record.handshake)) this.#host.adopt(record.handshake);
    } catch (error) {
      this.#storedVersion = this.#host.handshakeVersion;
      throw error;
    }
    if (!isChanged) this.#storedVersion = this.#host.handshakeVersion;
    // Not before the state is taken over: a state that this process has no room for must not be replaced by its own.
    this.#known = record;
  }

  /** Stores a changed state, and tells the other processes. Undefined if the state is stored. Rejects if the store fails. */
  save(): Promise<void> | undefined {
    return this.#isStored ? undefined : this.#write();
  }

  /** Keeps the record from expiring. */
  renew(): Promise<void> | undefined {
    // A session whose requests are served has a record.
    const { savedAt } = this.#known as SharedSessionRecord;
    return Date.now() - savedAt >= this.#idleMs / 4 ? this.#write() : undefined;
  }

  get #isStored(): boolean {
    return this.#host.handshakeVersion === this.#storedVersion;
  }

  get #ttlMs(): number {
    return this.#idleMs * 1.25;
  }

  /** At most one write is in progress. It goes on until the last change is stored. */
  #write(): Promise<void> {
    this.#saving ??= this.#replace()
      .catch((error: unknown) => {
        this.#undo();
        throw error;
      })
      .finally(() => {
        this.#saving = undefined;
      });
    return this.#saving;
  }

  /** Goes back to the stored state: the request that changed it is refused, and later ones must not be refused for it. */
  #undo(): void {
    if (this.#isStored) return;
    // `save` has checked that there is one.
    this.#host.adopt((this.#known as SharedSessionRecord).handshake);
    this.#storedVersion = this.#host.handshakeVersion;
  }

  async #replace(): Promise<void> {
    const { sessionId } = this.#link;
    let left = MAX_ATTEMPTS;
    do {
      left -= 1;
      const version = this.#host.handshakeVersion;
      const isRenewal = this.#isStored;
      // A session whose requests are served has a record.
      const record = this.#next((this.#known as SharedSessionRecord).version);
      // The options of the endpoint require the method.
      if (await this.#store.replace?.(sessionId, record, this.#ttlMs)) {
        if (record.version > (this.#known as SharedSessionRecord).version) this.#known = record;
        this.#storedVersion = version;
        if (!isRenewal) await this.#link.publish({ kind: "state", record });
      } else this.refresh(await this.#read(sessionId));
    } while (!this.#isStored && left > 0);
    if (!this.#isStored) throw storeFailed();
  }

  /** Rejects if the session was deleted meanwhile. Its requests are then refused with it. */
  async #read(sessionId: string): Promise<SharedSessionRecord> {
    const record: SessionRecord | undefined = await this.#store.get(sessionId);
    if (!isSharedRecord(record)) throw storeFailed();
    return record;
  }

  #next(version: number): SharedSessionRecord {
    const { principal } = this.#host;
    const handshake = this.#host.handshake as HandshakeState;
    return { ...(principal !== undefined && { principal }), handshake, version: version + 1, savedAt: Date.now() };
  }
}

/** The state after the changes of both sides. */
function merge(before: HandshakeState, ours: HandshakeState, theirs: HandshakeState): HandshakeState {
  const [had, has] = [new Set(before.watched), new Set(ours.watched)];
  const kept = theirs.watched.filter((uri) => has.has(uri) || !had.has(uri));
  const added = ours.watched.filter((uri) => !had.has(uri));
  return {
    ...theirs,
    isReady: ours.isReady || theirs.isReady,
    logLevel: ours.logLevel === before.logLevel ? theirs.logLevel : ours.logLevel,
    watched: [...new Set([...kept, ...added])],
  };
}

function isSameState(one: HandshakeState, other: HandshakeState): boolean {
  const watched = new Set(other.watched);
  return (
    one.isReady === other.isReady &&
    one.logLevel === other.logLevel &&
    one.watched.length === watched.size &&
    one.watched.every((uri) => watched.has(uri))
  );
}
