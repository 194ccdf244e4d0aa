/**
 * The client's line to its server: opens the connection, and opens it again when it was lost or the server has forgotten
 * the session. Requests go through it, so that no caller holds a connection that is gone.
 */
import { type Timeouts, timeoutsAfter } from "../dispatch/deadline.js";
import {
  type BatchCall,
  DEFAULT_TIMEOUT_MS,
  type Dispatcher,
  type DispatcherOptions,
  type RequestOptions,
} from "../dispatch/dispatcher.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../protocol/json.js";
import { eraOf } from "../protocol/revisions.js";
import { createErrorCallback } from "../runtime/error-callback.js";
import { markHandled } from "../runtime/mark-handled.js";
import { isSessionExpired } from "../transport/http/http-error.js";
import type { ServerCommand } from "../transport/server-command.js";
import type { ClientConnection } from "./client-connection.js";
import { type ConnectTarget, canReopen, dispatcherFor, isCommand } from "./connect-target.js";
import { isSilentOrForeign, mayOpenLegacy, type NegotiationPlan, negotiate, type Verdict } from "./negotiation.js";
import { type FetchOptions, OpenConnection, type OpenConnectionOptions } from "./open-connection.js";
import { cursorExpired } from "./pages.js";
import { patiently } from "./patience.js";
import { PingTimer } from "./ping-timer.js";
import { exitsOnProbe, forgetExit, rememberExit } from "./probe-averse-programs.js";
import { Reconnecting, type ReconnectPlan } from "./reconnecting.js";

export interface LinkOptions {
  readonly negotiation: Omit<NegotiationPlan, "signal">;
  readonly connection: OpenConnectionOptions;
  readonly dispatcher: DispatcherOptions;
  readonly reconnect: ReconnectPlan | undefined;
  /** How often a legacy server is pinged; never without it. */
  readonly pingIntervalMs: number | undefined;
  /** Makes the receiving half of a connection; `onClosed` is to be called when it is gone. */
  receiver(onClosed: () => void): ClientConnection;
  /** What was subscribed on a connection is lost; `isFinal` when no other connection takes its place. */
  onLost(isFinal: boolean): void;
}

/** The methods that change nothing at the server, so that asking twice is asking once. */
const REPEATABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
]);

export class Link {
  readonly #options: LinkOptions;
  readonly #report: (error: Error) => void;
  readonly #closing = new AbortController();
  #target: ConnectTarget | undefined;
  #dispatcher: Dispatcher | undefined;
  #receiver: ClientConnection | undefined;
  #connection: OpenConnection | undefined;
  #reconnecting: Reconnecting | undefined;
  #reopening: Promise<OpenConnection> | undefined;
  /** The connection whose modern revision is what an earlier one had, and not what its server has said. */
  #assumed: OpenConnection | undefined;
  #pings: PingTimer | undefined;
  #isOver = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#report = createErrorCallback(options.dispatcher.onError);
  }

  /** Opens the first connection. What fails here is not tried again. */
  async open(target: ConnectTarget, signal: AbortSignal | undefined): Promise<void> {
    if (this.#target) throw new SdkError("invalid-argument", "This client was opened before; make a new one");
    this.#target = target;
    const { reconnect, negotiation } = this.#options;
    this.#connection = await this.#connect(target, { ...negotiation, signal });
    if (reconnect && canReopen(target)) this.#reconnecting = new Reconnecting(reconnect);
  }

  /** The connection is gone, and none will take its place. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** There is a connection, or another will take its place. */
  get isOpen(): boolean {
    return this.#connection !== undefined && !this.#isOver;
  }

  get verdict(): Verdict {
    return this.#current.verdict;
  }

  /** What a cursor belongs to: a legacy session, which is as old as its connection. The modern era has none. */
  get session(): unknown {
    return eraOf(this.verdict.revision) === "legacy" ? this.#current : this;
  }

  get mirrorsArguments(): boolean {
    return this.#current.mirrorsArguments;
  }

  /** The connection in use; if it was lost, the one that takes its place, once that is open. */
  async ready(): Promise<OpenConnection> {
    return this.#reopening ?? this.#current;
  }

  async request(method: string, params: JsonObject, options: FetchOptions = {}): Promise<JsonObject> {
    const startedMs = performance.now();
    const isLost = this.#reopening !== undefined;
    const connection = isLost ? await this.#whenReady(method, options) : this.#current;
    if (isLost) checkCursor(connection, params);
    try {
      const sent = isLost ? { ...options, ...this.#timeoutsSince(startedMs, options) } : options;
      return await connection.request(method, params, sent);
    } catch (error) {
      // Once, since a second failure of that kind would be no accident.
      const next = await this.#nextAttempt(connection, method, error, options);
      const left = this.#timeoutsSince(startedMs, options);
      if (next === undefined || left === undefined) throw error;
      if (next !== connection) checkCursor(next, params);
      const { id: _used, ...again } = options;
      return next.request(method, params, { ...again, ...left });
    }
  }

  /** What is left of a caller's patience, which counts from its call on. */
  #timeoutsSince(
    startedMs: number,
    { timeoutMs, maxTimeoutMs, resetTimeoutOnProgress }: FetchOptions,
  ): Timeouts | undefined {
    const given = timeoutMs ?? this.#options.dispatcher.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const restarts = resetTimeoutOnProgress === true;
    return timeoutsAfter(performance.now() - startedMs, { timeoutMs: given, maxTimeoutMs, restarts });
  }

  /** The connection to send a failed request over again; undefined if it must not be. */
  async #nextAttempt(
    connection: OpenConnection,
    method: string,
    error: unknown,
    options: FetchOptions,
  ): Promise<OpenConnection | undefined> {
    // The server has forgotten the session, so it has not served the request.
    if (isSessionExpired(error)) return this.#renew(connection, connection.verdict);
    if (this.#isRevisionInDoubt(connection, error)) {
      const renewed = await this.#renew(connection, undefined);
      return renewed === connection ? undefined : renewed;
    }
    const { reissue = REPEATABLE.has(method) } = options;
    const isModern = eraOf(connection.verdict.revision) === "modern";
    return reissue && isModern && isBrokenOff(error) ? this.ready() : undefined;
  }

  /** Whether an error says that the server does not speak the revision in use, or may say so. */
  #isRevisionInDoubt(connection: OpenConnection, error: unknown): boolean {
    // A legacy revision is settled by its handshake: such an error is what a tool or a handler has thrown.
    const isModern = eraOf(connection.verdict.revision) === "modern";
    if (!isModern || this.#options.negotiation.pinned !== undefined) return false;
    if (error instanceof ProtocolError && error.code === ErrorCode.unsupportedRevision) return true;
    const isAssumed = this.#assumed === connection && !connection.isAnswered;
    return isAssumed && isSilentOrForeign(error) && !mayHaveBeenServed(error);
  }

  async requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    const connection = this.#reopening ? await this.#whenReady("A batch", {}) : this.#current;
    return connection.requestBatch(calls);
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    const connection = this.#reopening ? await this.#whenReady(method, {}) : this.#current;
    return connection.notify(method, params);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pings?.stop();
    await this.#dispatcher?.close();
  }

  get #current(): OpenConnection {
    if (this.#connection) return this.#connection;
    throw new SdkError("connection-closed", "This client is not connected; call open first");
  }

  /** A caller's patience counts from its call on, whether or not there is a connection at the moment. */
  #whenReady(method: string, { signal, timeoutMs }: RequestOptions = {}): Promise<OpenConnection> {
    return patiently(this.ready(), method, { signal, timeoutMs: timeoutMs ?? this.#options.dispatcher.timeoutMs });
  }

  async #connect(target: ConnectTarget, plan: NegotiationPlan): Promise<OpenConnection> {
    if (!isCommand(target) || !mayOpenLegacy(plan)) return this.#connectOnce(target, plan);
    return exitsOnProbe(target) ? this.#connectUnprobed(target, plan) : this.#connectProbed(target, plan);
  }

  /** A program that ends when it is probed is started again, and greeted with the handshake. */
  async #connectProbed(target: ServerCommand, plan: NegotiationPlan): Promise<OpenConnection> {
    try {
      return await this.#connectOnce(target, plan, true);
    } catch (error) {
      if (isLoss(error)) return this.#connectUnprobed(target, plan);
      // The receiver was made by the attempt.
      this.#closed(this.#receiver as ClientConnection);
      throw error;
    }
  }

  async #connectUnprobed(target: ServerCommand, plan: NegotiationPlan): Promise<OpenConnection> {
    try {
      const connection = await this.#connectOnce(target, { ...plan, skipsProbe: true });
      rememberExit(target);
      return connection;
    } catch (error) {
      forgetExit(target);
      if (!isLoss(error)) throw error;
      const advice =
        "The program ended when its first message was initialize, and earlier when it was server/discover. If it speaks " +
        'one revision alone, name that in the options of the client, as in revision: "2025-06-18"';
      throw new SdkError("connection-closed", `${error.message}\n${advice}`, { cause: error.cause });
    }
  }

  /** `isTrial`: if it fails, another attempt follows, so nobody hears yet that the connection is gone. */
  async #connectOnce(target: ConnectTarget, plan: NegotiationPlan, isTrial = false): Promise<OpenConnection> {
    let isOpen = false;
    const receiver = this.#options.receiver(() => {
      if (isOpen || !isTrial) this.#closed(receiver);
    });
    this.#receiver = receiver;
    const onError = (error: Error) => {
      // Whoever opens the connection gets the loss as a rejection.
      if (isOpen || !isLoss(error)) this.#heard(error);
    };
    const dispatcher = await dispatcherFor(target, () => receiver, { ...this.#options.dispatcher, onError });
    this.#dispatcher = dispatcher;
    try {
      const connection = await this.#negotiate(dispatcher, receiver, plan);
      isOpen = true;
      return connection;
    } catch (error) {
      await dispatcher.close();
      throw error;
    }
  }

  async #negotiate(dispatcher: Dispatcher, receiver: ClientConnection, plan: NegotiationPlan): Promise<OpenConnection> {
    const verdict = await negotiate(dispatcher, plan);
    receiver.settle(verdict);
    const connection = new OpenConnection(dispatcher, verdict, this.#options.connection);
    this.#assumed = verdict === plan.prior ? connection : undefined;
    this.#startPings(dispatcher, verdict);
    return connection;
  }

  /** The modern era has neither pings nor connections that could be lost in silence. */
  #startPings(dispatcher: Dispatcher, { revision }: Verdict): void {
    const { pingIntervalMs: intervalMs } = this.#options;
    this.#pings?.stop();
    if (intervalMs === undefined || eraOf(revision) === "modern") return;
    this.#pings = new PingTimer({
      intervalMs,
      ping: (timeoutMs) => this.request("ping", {}, { timeoutMs }),
      onSilence: (error) => {
        this.#report(error);
        void dispatcher.close();
      },
    });
  }

  #closed(receiver: ClientConnection): void {
    // While it is being opened again, whoever does that sees by itself what becomes of the attempt.
    if (this.#reopening || receiver !== this.#receiver) return;
    if (!this.#reconnecting || this.#closing.signal.aborted) {
      this.#end();
      return;
    }
    this.#openAgain(this.#reconnecting);
  }

  /** What no call rejects with. A stream may be the first to find out that the server has forgotten the session. */
  #heard(error: Error): void {
    if (isSessionExpired(error) && this.#reconnecting && !this.#reopening) this.#openAgain(this.#reconnecting);
    else this.#report(error);
  }

  #openAgain(reconnecting: Reconnecting): void {
    this.#pings?.stop();
    reconnecting.lost();
    this.#reopening = markHandled(this.#reopen(reconnecting));
    this.#options.onLost(false);
  }

  #end(): void {
    this.#isOver = true;
    this.#pings?.stop();
    this.#options.onLost(true);
  }

  async #reopen(reconnecting: Reconnecting): Promise<OpenConnection> {
    const { signal } = this.#closing;
    const plan = { ...this.#options.negotiation, prior: this.verdict, signal };
    while (await reconnecting.next(signal)) {
      try {
        const connection = await this.#establish(plan);
        if (this.#dispatcher?.isClosed) continue;
        reconnecting.opened();
        this.#settle(connection);
        return connection;
      } catch (cause) {
        this.#report(new SdkError("connection-closed", "The connection could not be opened again", { cause }));
      }
    }
    await this.#dispatcher?.close();
    this.#reopening = undefined;
    this.#end();
    throw new SdkError("connection-closed", "The connection was lost and could not be opened again");
  }

  /** Another connection, or another handshake over the one there is. All of it is set since the first was opened. */
  #establish(plan: NegotiationPlan): Promise<OpenConnection> {
    const dispatcher = this.#dispatcher as Dispatcher;
    if (dispatcher.isClosed) return this.#connect(this.#target as ConnectTarget, plan);
    return this.#negotiate(dispatcher, this.#receiver as ClientConnection, plan);
  }

  #settle(connection: OpenConnection): void {
    this.#connection = connection;
    this.#reopening = undefined;
  }

  /**
   * Negotiates again over the same transport, unless somebody has seen to that already. With `prior` the server has forgotten
   * its session; without it the revision is in doubt, and `stale` stays if it proves right.
   */
  #renew(stale: OpenConnection, prior: Verdict | undefined): Promise<OpenConnection> {
    if (this.#connection !== stale) return this.ready();
    // Set before the handshake begins, which may find the connection gone at once.
    this.#reopening ??= markHandled(Promise.resolve(stale).then((gone) => this.#negotiateAgain(gone, prior)));
    return this.#reopening;
  }

  async #negotiateAgain(stale: OpenConnection, prior: Verdict | undefined): Promise<OpenConnection> {
    // A connection has a dispatcher and a receiver.
    const dispatcher = this.#dispatcher as Dispatcher;
    const receiver = this.#receiver as ClientConnection;
    const plan = { ...this.#options.negotiation, prior, signal: this.#closing.signal };
    try {
      const renewed = await this.#negotiate(dispatcher, receiver, plan);
      if (prior === undefined && renewed.verdict.revision === stale.verdict.revision) {
        this.#settle(stale);
        return stale;
      }
      this.#settle(renewed);
      this.#options.onLost(false);
      return renewed;
    } catch (error) {
      this.#reopening = undefined;
      if (dispatcher.isClosed) this.#closed(receiver);
      throw error;
    }
  }
}

function isLoss(error: unknown): error is SdkError {
  return error instanceof SdkError && error.code === "connection-closed";
}

/** The response had begun. One that ended with something else than the answer has a status. */
function isBrokenOff(error: unknown): boolean {
  return error instanceof SdkError && error.code === "stream-ended" && error.status === undefined;
}

function mayHaveBeenServed(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === ErrorCode.internalError;
  return error instanceof SdkError && (error.code === "request-timeout" || error.code === "stream-ended");
}

/** @throws {SdkError} `session-expired` for a cursor of an earlier session than the connection's. */
function checkCursor({ verdict }: OpenConnection, { cursor }: JsonObject): void {
  if (cursor !== undefined && eraOf(verdict.revision) === "legacy") throw cursorExpired();
}
