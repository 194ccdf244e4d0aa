/** The sessions of one endpoint: opens, finds, revives and ends them, and holds them to their limits. */
import { createReport, type Report, runGuarded } from "../../../dispatch/error-report.js";
import { SdkError } from "../../../errors/sdk-error.js";
import { HttpHeader } from "../../../protocol/http-headers.js";
import type { McpServer } from "../../../server/mcp-server.js";
import type { Caller } from "../../../transport/caller.js";
import type { JsonRpcRequest } from "../../../wire/json-rpc.js";
import { DeadlineQueue } from "../deadline-queue.js";
import type { HttpRequest, HttpResponse } from "../http-exchange.js";
import type { LegacySettings, SessionEnd } from "./legacy-options.js";
import { LegacySession, type SessionWatcher } from "./legacy-session.js";
import { Occupancy } from "./occupancy.js";
import { sessionEnded, sessionNotFound, shuttingDown, tooManySessions } from "./refusals.js";
import { createSessionId } from "./session-id.js";
import { SessionOpening } from "./session-opening.js";
import { SessionRecords } from "./session-records.js";

export class SessionTable implements SessionWatcher {
  readonly report: Report;
  readonly #server: McpServer;
  readonly #settings: LegacySettings;
  readonly #records: SessionRecords;
  readonly #idle: DeadlineQueue<LegacySession>;
  readonly #live = new Map<string, LegacySession>();
  readonly #opening = new Occupancy<LegacySession>();
  readonly #busy = new Occupancy<LegacySession>();
  readonly #reviving = new Map<string, Promise<LegacySession | undefined>>();
  #isClosed = false;

  constructor(server: McpServer, settings: LegacySettings) {
    this.#server = server;
    this.#settings = settings;
    this.report = createReport(server.dispatcherOptions.onError);
    this.#records = new SessionRecords(settings, this.report);
    this.#idle = new DeadlineQueue(settings.sessionIdleMs, (session) => void this.end(session, "idle"));
  }

  /** How many there are, those that are just being opened included. */
  get size(): number {
    return this.#live.size + this.#opening.size;
  }

  /** Whose session it is decides who finds it. @throws {HttpRefusal} 404, or rejects with it. */
  find(id: string, caller: Caller | undefined): LegacySession | Promise<LegacySession> {
    const session = this.#live.get(id);
    if (session) return owned(session, caller);
    if (!this.#settings.sessionStore) throw sessionNotFound();
    return this.#revived(id).then((revived) => owned(revived, caller));
  }

  /** Hands `initialize` to a new session. @throws {HttpRefusal} 503 at the limit, if all sessions are in use. */
  open(initialize: JsonRpcRequest, caller: Caller | undefined, request: HttpRequest, response: HttpResponse): void {
    this.#makeRoom();
    const session = new LegacySession(createSessionId(), caller?.principal, this.#settings, this);
    this.#opening.enter(session);
    session.connect(this.#server);
    request.onDisconnect(() => this.#giveUp(session));
    const opening = new SessionOpening(
      response,
      () => this.#opened(session),
      () => this.#giveUp(session),
    );
    session.open(initialize, caller, opening);
  }

  /** Ends a session for good, or in this process alone if others may take it up. */
  async end(session: LegacySession, end: SessionEnd): Promise<void> {
    if (!this.#live.delete(session.id)) return;
    this.#idle.remove(session);
    this.#tell(() => this.#settings.onSessionClosed?.(session, end));
    await session.close(end === "shutdown" ? shuttingDown : sessionEnded);
    if (end === "deleted" || !this.#settings.sessionStore) await this.#records.forget(session.id);
  }

  /** Ends the streams that no request waits for, and resolves when no request is being served any more. */
  async drain(): Promise<void> {
    for (const session of this.#live.values()) session.pauseStandalone();
    await Promise.all([this.#opening.whenEmpty(), this.#busy.whenEmpty()]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.clear();
    for (const session of this.#opening) this.#giveUp(session);
    await Promise.all([...this.#live.values()].map((session) => this.end(session, "shutdown")));
  }

  busy(session: LegacySession): void {
    this.#busy.enter(session);
    this.#idle.remove(session);
  }

  idle(session: LegacySession): void {
    this.#busy.leave(session);
    if (this.#live.get(session.id) === session) this.#idle.add(session);
  }

  changed(session: LegacySession): void {
    if (this.#settings.sessionStore && this.#live.get(session.id) === session) void this.#records.save(session);
  }

  async #opened(session: LegacySession): Promise<Record<string, string>> {
    this.#opening.leave(session);
    this.#admit(session);
    await this.#records.save(session);
    this.#tell(() => this.#settings.onSessionOpened?.(session));
    return { [HttpHeader.session]: session.id };
  }

  /** Its handshake failed, or nobody waits for it any more: then there never was a session. */
  #giveUp(session: LegacySession): void {
    if (this.#opening.leave(session)) void session.close(shuttingDown);
  }

  #admit(session: LegacySession): void {
    this.#live.set(session.id, session);
    this.#idle.add(session);
  }

  /** @throws {HttpRefusal} 503 */
  #makeRoom(): void {
    if (this.#isClosed) throw shuttingDown();
    if (this.size < this.#settings.maxSessions) return;
    const oldest = this.#idle.oldest();
    if (!oldest) throw tooManySessions(this.#settings.maxSessions);
    void this.end(oldest, "evicted");
  }

  /** Requests that arrive together share one session. */
  #revived(id: string): Promise<LegacySession | undefined> {
    const under = this.#reviving.get(id) ?? this.#revive(id).finally(() => this.#reviving.delete(id));
    this.#reviving.set(id, under);
    return under;
  }

  async #revive(id: string): Promise<LegacySession | undefined> {
    const record = await this.#records.load(id);
    if (!record || !this.#server.revisions.includes(record.handshake.envelope.revision)) return undefined;
    this.#makeRoom();
    const session = new LegacySession(id, record.principal, this.#settings, this);
    session.connect(this.#server, record.handshake);
    this.#admit(session);
    return session;
  }

  #tell(hook: () => void): void {
    runGuarded(hook, (cause) => this.report(new SdkError("handler-failed", "A hook of sessions failed", { cause })));
  }
}

function owned(session: LegacySession | undefined, caller: Caller | undefined): LegacySession {
  if (!session || session.principal !== caller?.principal) throw sessionNotFound();
  return session;
}
