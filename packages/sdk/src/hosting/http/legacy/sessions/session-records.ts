/** Writes sessions to their store, as seldom as possible, and reads them back. Without a store it does nothing. */

import { SdkError } from "../../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../../runtime/error-callback.js";
import type { HandshakeState } from "../../../../server/handshake-state.js";
import type { LegacySettings } from "../legacy-options.js";
import { storeFailed } from "../refusals.js";
import type { LegacySession } from "./legacy-session.js";
import { mayBeSessionId } from "./session-id.js";
import type { SessionRecord, SessionStore } from "./session-store.js";

/** The last write of a session. At most one is under way: the store may be slower than the session changes. */
interface LastWrite {
  version: number;
  at: number;
  underWay: Promise<void> | undefined;
  isLast: boolean;
}

export class SessionRecords {
  readonly #settings: LegacySettings;
  readonly #report: ErrorCallback;
  readonly #writes = new WeakMap<LegacySession, LastWrite>();

  constructor(settings: LegacySettings, report: ErrorCallback) {
    this.#settings = settings;
    this.#report = report;
  }

  /** Writes what has changed, and what the store would otherwise forget too soon. Never rejects. */
  async save(session: LegacySession): Promise<void> {
    const { sessionStore, sessionIdleMs } = this.#settings;
    if (!sessionStore || !session.handshake) return;
    const write = this.#lastWrite(session);
    const isFresh = write.version === session.handshakeVersion && Date.now() - write.at < sessionIdleMs / 4;
    if (!write.underWay && !isFresh) write.underWay = this.#write(sessionStore, session, write);
    await write.underWay;
  }

  /** Rejects with a refusal if the store fails. */
  async load(id: string): Promise<SessionRecord | undefined> {
    const { sessionStore } = this.#settings;
    if (!sessionStore || !mayBeSessionId(id)) return undefined;
    const found = await this.#guard(async () => ({ record: await sessionStore.get(id) }));
    if (!found) throw storeFailed();
    return found.record;
  }

  /** Ends after what is being written, which would bring the session back. False if the store failed. Never rejects. */
  async forget(session: LegacySession): Promise<boolean> {
    const { sessionStore, eventStore } = this.#settings;
    const write = this.#lastWrite(session);
    write.isLast = true;
    await write.underWay;
    const isForgotten = await this.#guard(async () => {
      await sessionStore?.delete(session.id);
      return true;
    });
    await this.#guard(async () => eventStore?.deleteSession(session.id));
    return isForgotten === true;
  }

  #lastWrite(session: LegacySession): LastWrite {
    const found = this.#writes.get(session);
    if (found) return found;
    const made: LastWrite = { version: 0, at: 0, underWay: undefined, isLast: false };
    this.#writes.set(session, made);
    return made;
  }

  /** Writes again what has changed meanwhile. */
  async #write(store: SessionStore, session: LegacySession, write: LastWrite): Promise<void> {
    const { sessionIdleMs } = this.#settings;
    do {
      const { principal } = session;
      // It was there when the write began, and a handshake that has succeeded stays.
      const handshake = session.handshake as HandshakeState;
      write.version = session.handshakeVersion;
      write.at = Date.now();
      await this.#guard(() => store.set(session.id, { principal, handshake }, sessionIdleMs * 1.25));
    } while (write.version !== session.handshakeVersion && !write.isLast);
    write.underWay = undefined;
  }

  async #guard<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await act();
    } catch (cause) {
      this.#report(new SdkError("handler-failed", "A store of sessions or events failed", { cause }));
      return undefined;
    }
  }
}
