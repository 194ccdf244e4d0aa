/** The sessions of one endpoint: opens, finds and ends them, resumes them from the session store, and applies limits. */

import type { RequestLimits } from "../../../../dispatch/request-limits.js";
import type { ProtocolError } from "../../../../errors/protocol-error.js";
import { SdkError } from "../../../../errors/sdk-error.js";
import { HttpHeader } from "../../../../protocol/http-headers.js";
import {
  createErrorCallback,
  type ErrorCallback,
  limitReports,
  runGuarded,
} from "../../../../runtime/error-callback.js";
import { Quota } from "../../../../runtime/quota.js";
import { TimeoutQueue } from "../../../../runtime/timeout-queue.js";
import type { ServerHosting } from "../../../../server/server-hosting.js";
import type { Caller } from "../../../../transport/caller.js";
import type { ClassifiedRequest } from "../../../../wire/classify.js";
import { limitRefusal } from "../../error-status.js";
import type { HttpRequest, HttpResponse } from "../../http-host.js";
import type { LegacySettings, SessionEnd } from "../legacy-options.js";
import { abortedByShutdown, closingRefusal, sessionEnded, sessionNotFound, tooManySessions } from "../refusals.js";
import { createSessionId, LegacySession, type SessionSharing, type SessionWatcher } from "./legacy-session.js";
import { SessionLookups } from "./session-lookups.js";
import { SessionOpening } from "./session-opening.js";
import { SessionRecords } from "./session-records.js";
import type { SessionRecord } from "./session-store.js";
import type { SharedSessions } from "./shared-sessions.js";

/** A session that retains fewer bytes is not evicted to free bytes. */
const MIN_FREED_BYTES = 16_384;

export class SessionTable implements SessionWatcher {
  readonly report: ErrorCallback;
  readonly reportEvents: ErrorCallback;
  readonly limits: RequestLimits;
  readonly #server: ServerHosting;
  readonly #settings: LegacySettings;
  readonly #records: SessionRecords;
  /** Undefined without a session channel. */
  readonly #shared: SharedSessions | undefined;
  readonly #idle: TimeoutQueue<LegacySession>;
  readonly #live = new Map<string, LegacySession>();
  readonly #opening = new Set<LegacySession>();
  readonly #resuming = new Map<string, Promise<LegacySession | undefined>>();
  readonly #lookups: SessionLookups;
  /** Number of sessions by principal, including those whose handshake is in progress. */
  readonly #shares: Quota;
  /** Ids of deleted sessions whose records may still be in the store. */
  readonly #deleted: Set<string> = new Set();
  #isClosed = false;

  constructor(server: ServerHosting, settings: LegacySettings) {
    this.#server = server;
    this.#settings = settings;
    this.report = createErrorCallback(server.dispatcherOptions.onError);
    this.limits = server.limits.session;
    this.reportEvents = limitReports(this.report);
    this.#records = new SessionRecords(settings, limitReports(this.report));
    this.#shared = this.#createShared();
    this.#lookups = new SessionLookups(server.limits.bytes);
    this.#shares = new Quota(settings.maxSessions, settings.maxSessions);
    this.#idle = new TimeoutQueue(settings.sessionIdleMs, (session) => void this.end(session, "idle"));
  }

  /** Number of sessions, including those whose handshake is in progress. */
  get size(): number {
    return this.#live.size + this.#opening.size;
  }

  /**
   * The session with the id, if it belongs to the caller. With the purpose `delete`, the record of a session is not read: an earlier
   * DELETE may have deleted it, and failed afterwards.
   * @throws {HttpRefusal} 404, 429 or 503, or rejects with it.
   */
  find(id: string, caller: Caller | undefined, purpose?: "delete" | undefined): LegacySession | Promise<LegacySession> {
    const shared = this.#shared;
    const session = this.#live.get(id);
    if (session && (!shared || purpose === "delete")) return requireOwner(session, caller);
    if (shared) {
      const found = this.#lookups.track(caller ?? {}, () => shared.find(id, purpose));
      return found.then((session) => requireOwner(session, caller));
    }
    if (!this.#settings.sessionStore) throw sessionNotFound();
    return this.#lookups
      .track(caller ?? {}, () => this.#resumeOnce(id))
      .then((resumed) => requireOwner(resumed, caller));
  }

  /** False for a session that has ended here, also if it was resumed since. */
  isLive(session: LegacySession): boolean {
    return this.#live.get(session.id) === session;
  }

  /** Passes `initialize` to a new session. @throws {HttpRefusal} 503 at the limit, if no session can end. */
  open(initialize: ClassifiedRequest, caller: Caller | undefined, request: HttpRequest, response: HttpResponse): void {
    // An `initialize` that is going to fail must not evict a session.
    if (this.#server.canInitialize(initialize.message.params)) this.#makeRoom(caller?.principal);
    const id = createSessionId(this.#settings.sessionIdPrefix);
    const session = new LegacySession(id, caller?.principal, this.#settings, this, this.#shared?.sharing(id));
    this.#opening.add(session);
    this.#shares.take(session.principal, 1);
    session.connect(this.#server);
    request.onDisconnect(() => this.#dropOpening(session));
    const opening = new SessionOpening(
      response,
      this.report,
      () => this.#opened(session),
      () => this.#dropOpening(session),
    );
    session.open(initialize, caller, opening);
  }

  /** Ends a session everywhere. Rejects with a refusal if several processes share it, and the store or the channel fails. */
  async delete(session: LegacySession): Promise<void> {
    if (this.#shared) await this.#shared.delete(session);
    await this.end(session, "deleted");
  }

  /** Ends a session. With a session store, only `deleted` removes its record; otherwise another process may resume it. */
  async end(session: LegacySession, end: SessionEnd): Promise<void> {
    if (!this.isLive(session)) return;
    this.#live.delete(session.id);
    this.#shares.take(session.principal, -1);
    this.#idle.remove(session);
    if (end === "deleted" && !session.shared) this.#rememberDeleted(session.id);
    this.#runHook(() => this.#settings.onSessionClosed?.(session, end));
    await session.end(end === "shutdown" ? abortedByShutdown : sessionEnded);
    if (session.shared) return;
    if ((end === "deleted" || !this.#settings.sessionStore) && (await this.#records.forget(session)))
      this.#deleted.delete(session.id);
  }

  /** Ends the standalone streams. Resolves when every request is answered. */
  async drain(): Promise<void> {
    await Promise.all([...this.#opening, ...this.#live.values()].map((session) => session.drain()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.clear();
    for (const session of this.#opening) this.#dropOpening(session);
    await Promise.all([...this.#live.values()].map((session) => this.end(session, "shutdown")));
  }

  busy(session: LegacySession): void {
    this.#idle.remove(session);
  }

  idle(session: LegacySession): void {
    if (this.isLive(session)) this.#idle.add(session);
  }

  changed(session: LegacySession): void {
    if (!this.isLive(session)) return;
    if (this.#shared) this.#shared.renew(session);
    else if (this.#settings.sessionStore) void this.#records.save(session);
  }

  endedElsewhere(session: LegacySession): void {
    void this.end(session, "deleted");
  }

  missed(session: LegacySession): void {
    this.#shared?.missed(session);
  }

  /** Rejects with a refusal if the session cannot be shared. It then stays among those that are being opened. */
  async #opened(session: LegacySession): Promise<Record<string, string>> {
    if (this.#shared) await this.#shared.open(session, () => this.#opening.has(session));
    this.#opening.delete(session);
    this.#admit(session);
    if (!this.#shared) await this.#records.save(session);
    this.#runHook(() => this.#settings.onSessionOpened?.(session));
    return { [HttpHeader.session]: session.id };
  }

  /** Drops a session whose handshake failed, or whose client disconnected before the answer. */
  #dropOpening(session: LegacySession): void {
    if (!this.#opening.delete(session)) return;
    this.#shares.take(session.principal, -1);
    void session.end(closingRefusal);
  }

  /** Remembers a deleted id until the store has deleted its record. Keeps at most `maxSessions` ids. */
  #rememberDeleted(id: string): void {
    if (!this.#settings.sessionStore) return;
    this.#deleted.add(id);
    if (this.#deleted.size <= this.#settings.maxSessions) return;
    for (const oldest of this.#deleted) {
      this.#deleted.delete(oldest);
      return;
    }
  }

  #admit(session: LegacySession): void {
    this.#live.set(session.id, session);
    this.#idle.add(session);
  }

  /**
   * Evicts sessions until a principal can open one more, with `maxBytesPerSession` bytes. Evicts from the principals that hold
   * the most: their longest idle session, else their oldest one if they hold at least two more than this principal.
   * @throws {HttpRefusal} 503 if no session can be evicted.
   */
  #makeRoom(principal: string | undefined): void {
    if (this.#isClosed) throw closingRefusal();
    const { limits } = this.#server;
    while (limits.bytes.fullLevel(principal, limits.maxBytesPerSession) === "server") {
      const victim = this.#heaviestOf(limits.bytes.victims(principal, limits.maxBytesPerSession));
      if (victim === undefined) break;
      void this.end(victim, "evicted");
    }
    const { maxSessions } = this.#settings;
    if (this.size < maxSessions) return;
    const victim = this.#idleOf(this.#shares.victims(principal, 1)) ?? this.#oldestOf(principal);
    if (victim === undefined) throw tooManySessions(maxSessions);
    void this.end(victim, "evicted");
  }

  /** The idle session that retains the most bytes, at least `MIN_FREED_BYTES`. */
  #heaviestOf(isVictim: (principal: string | undefined) => boolean): LegacySession | undefined {
    let heaviest: LegacySession | undefined;
    this.#idle.find((session) => {
      const least = Math.max(MIN_FREED_BYTES, (heaviest?.retainedBytes ?? 0) + 1);
      if (session.retainedBytes >= least && isVictim(session.principal)) heaviest = session;
      return false;
    });
    return heaviest;
  }

  #idleOf(isVictim: (principal: string | undefined) => boolean): LegacySession | undefined {
    return this.#idle.find((session) => isVictim(session.principal));
  }

  /** The oldest session of a principal that holds at least two more sessions than the newcomer. */
  #oldestOf(newcomer: string | undefined): LegacySession | undefined {
    const isVictim = this.#shares.victims(newcomer, 2);
    for (const session of this.#live.values()) {
      if (session.principal !== newcomer && isVictim(session.principal)) return session;
    }
    return undefined;
  }

  /** Concurrent requests with the same id share one read of the store. */
  #resumeOnce(id: string): Promise<LegacySession | undefined> {
    const under = this.#resuming.get(id) ?? this.#resume(id).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, under);
    return under;
  }

  async #resume(id: string): Promise<LegacySession | undefined> {
    if (this.#deleted.has(id)) return undefined;
    const record = await this.#records.load(id);
    if (!record || !this.#speaks(record)) return undefined;
    if (this.#deleted.has(id)) return undefined;
    return this.#restore(id, record);
  }

  /** @throws {HttpRefusal} 429 or 503 if there is no room for the session. */
  #restore(id: string, record: SessionRecord, sharing?: SessionSharing): LegacySession {
    this.#makeRoom(record.principal);
    const session = new LegacySession(id, record.principal, this.#settings, this, sharing);
    try {
      session.connect(this.#server, record.handshake);
    } catch (error) {
      // The handshake exceeds a byte limit. The session is in no table yet, so there is nothing to undo.
      throw limitRefusal(error as ProtocolError);
    }
    this.#shares.take(session.principal, 1);
    this.#admit(session);
    return session;
  }

  #speaks({ handshake }: SessionRecord): boolean {
    return this.#server.revisions.includes(handshake.envelope.revision);
  }

  #createShared(): SharedSessions | undefined {
    const { sessionChannel: channel, sessionStore: store } = this.#settings;
    if (!channel || !store) return undefined;
    return channel.shareSessions({
      channel,
      store,
      report: limitReports(this.report),
      load: (id) => this.#records.load(id),
      deleteEvents: (id) => this.#settings.eventStore?.deleteSession(id),
      live: (id) => this.#live.get(id),
      restore: (id, record, sharing) => (this.#speaks(record) ? this.#restore(id, record, sharing) : undefined),
      ended: (session) => this.end(session, "deleted"),
    });
  }

  #runHook(hook: () => void): void {
    runGuarded(hook, (cause) => this.report(new SdkError("handler-failed", "A hook of sessions failed", { cause })));
  }
}

function requireOwner(session: LegacySession | undefined, caller: Caller | undefined): LegacySession {
  if (!session || session.principal !== caller?.principal) throw sessionNotFound();
  return session;
}
