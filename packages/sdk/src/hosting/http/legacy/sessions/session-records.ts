/** Writes sessions to the session store when they have changed, and reads them back. Does nothing without a store. */

import { SdkError } from "../../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../../runtime/error-callback.js";
import { withTimeout } from "../../../../runtime/timers.js";
import type { HandshakeState } from "../../../../server/handshake-state.js";
import type { LegacySettings } from "../legacy-options.js";
import { storeFailed } from "../refusals.js";
import type { LegacySession } from "./legacy-session.js";
import { mayBeSessionId } from "./legacy-session.js";
import type { SessionRecord, SessionStore } from "./session-store.js";

/** A request that waits for the store counts in the limits of its caller, so it must not wait forever. */
const READ_TIMEOUT_MS = 10_000;

/** The last write of a session. At most one write per session is in progress. */
interface LastWrite {
  version: number;
  at: number;
  inProgress: Promise<void> | undefined;
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

  /** Writes a session that has changed, or whose record is older than a quarter of `sessionIdleMs`. Never rejects. */
  async save(session: LegacySession): Promise<void> {
    const { sessionStore, sessionIdleMs } = this.#settings;
    if (!sessionStore || !session.handshake) return;
    const write = this.#lastWrite(session);
    const isFresh = write.version === session.handshakeVersion && Date.now() - write.at < sessionIdleMs / 4;
    if (!write.inProgress && !isFresh) write.inProgress = this.#write(sessionStore, session, write);
    await write.inProgress;
  }

  /** Rejects with a refusal if the store fails. */
  async load(id: string): Promise<SessionRecord | undefined> {
    const { sessionStore } = this.#settings;
    if (!sessionStore || !mayBeSessionId(id)) return undefined;
    const found = await this.#guard(async () => {
      const reading = Promise.resolve(sessionStore.get(id)).then((record) => ({ record }));
      return withTimeout(reading, READ_TIMEOUT_MS, () => {
        throw new SdkError("request-timeout", `get of the session store has not settled after ${READ_TIMEOUT_MS} ms`);
      });
    });
    if (!found) throw storeFailed();
    return found.record;
  }

  /**
   * Deletes a session and its events. Waits for a write in progress, which would restore the record. False if the session
   * store failed. Never rejects.
   */
  async forget(session: LegacySession): Promise<boolean> {
    const { sessionStore, eventStore } = this.#settings;
    const write = this.#lastWrite(session);
    write.isLast = true;
    await write.inProgress;
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
    const made: LastWrite = { version: 0, at: 0, inProgress: undefined, isLast: false };
    this.#writes.set(session, made);
    return made;
  }

  /** Writes until the session has not changed during the last write. */
  async #write(store: SessionStore, session: LegacySession, write: LastWrite): Promise<void> {
    const { sessionIdleMs } = this.#settings;
    do {
      const { principal } = session;
      // `save` has checked it, and a completed handshake is never removed.
      const handshake = session.handshake as HandshakeState;
      write.version = session.handshakeVersion;
      write.at = Date.now();
      await this.#guard(() => store.set(session.id, { principal, handshake }, sessionIdleMs * 1.25));
    } while (write.version !== session.handshakeVersion && !write.isLast);
    write.inProgress = undefined;
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
