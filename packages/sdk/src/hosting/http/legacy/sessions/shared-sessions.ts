/** The sessions of an endpoint that other processes serve too. Reads their records at every request, and keeps their channels. */
import { SdkError } from "../../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../../runtime/error-callback.js";
import { closingRefusal, storeFailed } from "../refusals.js";
import { isSharedRecord } from "./channel-message.js";
import { type LegacySession, mayBeSessionId, type SessionSharing } from "./legacy-session.js";
import type { SessionChannel } from "./session-channel.js";
import { SessionLink } from "./session-link.js";
import type { SessionRecord, SessionStore } from "./session-store.js";
import { SharedSession } from "./shared-session.js";

/** The table of sessions, and its stores. */
export interface SharedSessionsHost {
  readonly channel: SessionChannel;
  readonly store: SessionStore;
  readonly report: ErrorCallback;
  /** Rejects with a refusal if the store fails. */
  load(id: string): Promise<SessionRecord | undefined>;
  deleteEvents(id: string): Promise<void> | undefined;
  live(id: string): LegacySession | undefined;
  /** Undefined for a revision that the server does not speak. */
  restore(id: string, record: SessionRecord, sharing: SessionSharing): LegacySession | undefined;
  /** Ends a session here that was deleted elsewhere. */
  ended(session: LegacySession): Promise<void>;
}

/** Serves the sessions of an endpoint together with other processes. `shareSessions` is the only such function. */
export type ShareSessions = (host: SharedSessionsHost) => SharedSessions;

/** The value of `SessionChannel.shareSessions`. */
export function shareSessions(host: SharedSessionsHost): SharedSessions {
  return new SharedSessions(host);
}

/** Sessions that are checked at the same time after messages were lost. */
const MAX_RECHECKS = 8;

export class SharedSessions {
  readonly #host: SharedSessionsHost;
  /** The channels of sessions that are live here, or that requests wait for. */
  readonly #links = new Map<string, SessionLink>();
  readonly #stale = new Set<LegacySession>();
  /** Sessions whose check failed. The next keep-alive or request of each checks it again. */
  readonly #unchecked = new WeakSet<LegacySession>();
  #rechecks = 0;

  constructor(host: SharedSessionsHost) {
    this.#host = host;
  }

  /** For a session that is opened here. */
  sharing(id: string): SessionSharing {
    return this.#sharing(new SessionLink(id, this.#host.channel, this.#host.report), true);
  }

  /**
   * The session with its present state; undefined if it does not exist. One round trip: the channel is subscribed to, once, and the
   * record is read after it, so that every later change is either in the record or heard. Rejects with a refusal.
   */
  async find(id: string, purpose?: "delete" | undefined): Promise<LegacySession | undefined> {
    if (!mayBeSessionId(id)) return undefined;
    const live = this.#host.live(id);
    if (live) return this.#refreshed(live, await this.#host.load(id));
    const link = this.#openingLink(id);
    link.waiting += 1;
    try {
      const [, record] = await Promise.all([this.#guard(link.open()), this.#host.load(id)]);
      // The session was restored by another request, and has ended again.
      if (link.isClosed) return this.find(id, purpose);
      // The DELETE that removed the record may have failed before it told the other processes.
      if (purpose === "delete" && record === undefined) await this.#reported(link.publish({ kind: "ended" }));
      return this.#join(link, record);
    } finally {
      link.waiting -= 1;
      if (link.waiting === 0 && this.#links.get(id) === link) this.#links.delete(id);
      if (link.waiting === 0 && !link.isAttached) link.close();
    }
  }

  /** Stores a session that was opened here. Rejects with a refusal if that fails, or the client is gone. */
  async open(session: LegacySession, isWanted: () => boolean): Promise<void> {
    await this.#guard(session.shared?.open());
    if (isWanted()) return;
    await this.#guard(this.#host.store.delete(session.id));
    throw closingRefusal();
  }

  /** Deletes the record, tells the other processes, and deletes the events. Rejects with a refusal if the record stays. */
  async delete(session: LegacySession): Promise<void> {
    await this.#guard(this.#host.store.delete(session.id));
    // The session is over: a process that does not hear of it finds no record at its next request.
    await this.#reported(session.shared?.announceEnd());
    await this.#reported(this.#host.deleteEvents(session.id));
  }

  /** Checks a session whose record could not be renewed: it may have been deleted without a word. */
  renew(session: LegacySession): void {
    if (this.#unchecked.delete(session)) this.missed(session);
    session.shared?.record.renew()?.catch((cause: unknown) => {
      this.#failed(cause);
      this.missed(session);
    });
  }

  /** Checks a session against its record, in its turn. */
  missed(session: LegacySession): void {
    this.#stale.add(session);
    if (this.#rechecks < MAX_RECHECKS) void this.#recheck();
  }

  async #recheck(): Promise<void> {
    this.#rechecks += 1;
    for (const session of this.#stale) {
      this.#stale.delete(session);
      await this.#check(session);
    }
    this.#rechecks -= 1;
  }

  /** Never rejects. */
  async #check(session: LegacySession): Promise<void> {
    try {
      const record = await this.#host.load(session.id);
      if (isSharedRecord(record)) await session.shared?.recheck(record);
      else await this.#gone(session);
    } catch (cause) {
      this.#unchecked.add(session);
      this.#failed(cause);
    }
  }

  #refreshed(session: LegacySession, record: SessionRecord | undefined): LegacySession | undefined {
    if (isSharedRecord(record)) {
      session.shared?.refresh(record);
      return session;
    }
    void this.#gone(session);
    return undefined;
  }

  /** Ends a session here whose record is gone, and tells the other processes, which may not have heard of that. */
  async #gone(session: LegacySession): Promise<void> {
    await Promise.all([this.#host.ended(session), this.#reported(session.shared?.announceEnd())]);
  }

  #join(link: SessionLink, record: SessionRecord | undefined): LegacySession | undefined {
    const live = this.#host.live(link.sessionId);
    if (live) return this.#refreshed(live, record);
    if (link.hasEnded || !isSharedRecord(record)) return undefined;
    const session = this.#host.restore(link.sessionId, record, this.#sharing(link, false));
    session?.shared?.join(record);
    return session;
  }

  /** Requests that wait for the same session share its channel. */
  #openingLink(id: string): SessionLink {
    const found = this.#links.get(id);
    if (found && !found.isClosed) return found;
    const link = new SessionLink(id, this.#host.channel, this.#host.report);
    this.#links.set(id, link);
    return link;
  }

  #sharing(link: SessionLink, isOpenedHere: boolean): SessionSharing {
    const { store } = this.#host;
    return {
      link,
      share: (session, log, standalone, idleMs) =>
        new SharedSession(session, link, log, standalone, { store, idleMs, isOpenedHere }),
    };
  }

  /** Replaces an error of the store or the channel, which is reported, by a refusal. */
  async #guard(work: Promise<void> | undefined): Promise<void> {
    try {
      await work;
    } catch (cause) {
      this.#failed(cause);
      throw storeFailed();
    }
  }

  async #reported(work: Promise<unknown> | undefined): Promise<void> {
    try {
      await work;
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #failed(cause: unknown): void {
    this.#host.report(new SdkError("handler-failed", "A store or the channel of sessions failed", { cause }));
  }
}
