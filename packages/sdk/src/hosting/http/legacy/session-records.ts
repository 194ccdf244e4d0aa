/** Writes sessions to their store, as seldom as possible, and reads them back. Without a store it does nothing. */
import type { Report } from "../../../dispatch/error-report.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { LegacySettings } from "./legacy-options.js";
import type { LegacySession } from "./legacy-session.js";
import { storeFailed } from "./refusals.js";
import { mayBeSessionId } from "./session-id.js";
import type { SessionRecord } from "./session-store.js";

interface Written {
  readonly text: string;
  readonly at: number;
}

export class SessionRecords {
  readonly #settings: LegacySettings;
  readonly #report: Report;
  readonly #written = new WeakMap<LegacySession, Written>();

  constructor(settings: LegacySettings, report: Report) {
    this.#settings = settings;
    this.#report = report;
  }

  /** Writes what has changed, and what the store would otherwise forget too soon. Never rejects. */
  async save(session: LegacySession): Promise<void> {
    const { sessionStore, sessionIdleMs } = this.#settings;
    const { handshake, principal } = session;
    if (!sessionStore || !handshake) return;
    const record: SessionRecord = { principal, handshake };
    const text = JSON.stringify(record);
    const last = this.#written.get(session);
    const slackMs = sessionIdleMs / 4;
    if (last?.text === text && Date.now() - last.at < slackMs) return;
    this.#written.set(session, { text, at: Date.now() });
    await this.#guard(() => sessionStore.set(session.id, record, sessionIdleMs + slackMs));
  }

  /** Rejects with a refusal if the store fails. */
  async load(id: string): Promise<SessionRecord | undefined> {
    const { sessionStore } = this.#settings;
    if (!sessionStore || !mayBeSessionId(id)) return undefined;
    const found = await this.#guard(async () => ({ record: await sessionStore.get(id) }));
    if (!found) throw storeFailed();
    return found.record;
  }

  /** Never rejects. */
  async forget(id: string): Promise<void> {
    const { sessionStore, eventStore } = this.#settings;
    await this.#guard(async () => sessionStore?.delete(id));
    await this.#guard(async () => eventStore?.deleteSession(id));
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
