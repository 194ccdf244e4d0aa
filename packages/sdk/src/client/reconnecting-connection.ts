/**
 * The client's line to its server: opens the connection, and opens it again when it was lost or the server has forgotten
 * the session. Requests go through it, so that no caller holds a connection that is gone.
 */
import { type Timeouts, timeoutsAfter } from "../dispatch/deadline.js";
import {
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
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { isSessionExpired } from "../transport/http/http-error.js";
import type { ClientRequestOptions } from "./call-options.js";
import type { ClientCall, ConnectionCall, SendCall } from "./client-call.js";
import type { ClientReceiver } from "./client-receiver.js";
import { type ConnectTarget, canReopen, dispatcherFor, isCommand } from "./connect-target.js";
import { NegotiatedConnection, type NegotiatedConnectionOptions } from "./negotiated-connection.js";
import {
  isSilentOrForeign,
  mayOpenLegacy,
  type NegotiationOptions,
  type NegotiationResult,
  negotiate,
} from "./negotiation.js";
import { cursorExpired } from "./pagination.js";
import { PingTimer } from "./ping-timer.js";
import { connectProgram, isConnectionLoss } from "./program-connection.js";
import { ReconnectAttempts, type ResolvedReconnectOptions } from "./reconnect-attempts.js";
import { withRequestTimeout } from "./request-timeout.js";

export interface ReconnectingConnectionOptions {
  readonly negotiation: Omit<NegotiationOptions, "signal">;
  readonly connection: NegotiatedConnectionOptions;
  readonly dispatcher: DispatcherOptions;
  readonly reconnect: ResolvedReconnectOptions | undefined;
  /** How often a legacy server is pinged; never without it. */
  readonly pingIntervalMs: number | undefined;
  /** Sends a ping over the connection in use. */
  ping(timeoutMs: number): Promise<unknown>;
  /** Makes the receiving half of a connection; `onClosed` is to be called when it is gone. */
  receiver(onClosed: () => void): ClientReceiver;
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

export class ReconnectingConnection {
  readonly #options: ReconnectingConnectionOptions;
  readonly #report: (error: Error) => void;
  readonly #closing = new AbortController();
  #target: ConnectTarget | undefined;
  #dispatcher: Dispatcher | undefined;
  #receiver: ClientReceiver | undefined;
  #connection: NegotiatedConnection | undefined;
  #reconnecting: ReconnectAttempts | undefined;
  #reopening: Promise<NegotiatedConnection> | undefined;
  /** The connection whose modern revision is what an earlier one had, and not what its server has said. */
  #assumed: NegotiatedConnection | undefined;
  #pings: PingTimer | undefined;
  #isOver = false;

  constructor(options: ReconnectingConnectionOptions) {
    this.#options = options;
    this.#report = createErrorCallback(options.dispatcher.onError);
  }

  /** Opens the first connection. What fails here is not tried again. */
  async open(target: ConnectTarget, signal: AbortSignal | undefined): Promise<void> {
    if (this.#target) throw new SdkError("invalid-argument", "This client was opened before; make a new one");
    this.#target = target;
    const { reconnect, negotiation } = this.#options;
    this.#connection = await this.#connect(target, { ...negotiation, signal });
    if (reconnect && canReopen(target)) this.#reconnecting = new ReconnectAttempts(reconnect);
  }

  /** Whether `open` was called. */
  get wasOpened(): boolean {
    return this.#target !== undefined;
  }

  /** The connection is gone, and none will take its place. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** There is a connection, or another will take its place. */
  get isOpen(): boolean {
    return this.#connection !== undefined && !this.#isOver;
  }

  get negotiated(): NegotiationResult {
    return this.#current.negotiated;
  }

  /** What a cursor belongs to: a legacy session, which is as old as its connection. The modern era has none. */
  get session(): unknown {
    return eraOf(this.negotiated.revision) === "legacy" ? this.#current : this;
  }

  get mirrorsArguments(): boolean {
    return this.#current.mirrorsArguments;
  }

  /** The connection in use; if it was lost, the one that takes its place, once that is open. */
  async ready(): Promise<NegotiatedConnection> {
    return this.#reopening ?? this.#current;
  }

  /**
   * The connection for one request. A promise only while a lost connection is being opened again: the request's timeout counts
   * from its call on, whether or not there is a connection.
   */
  connectionFor(
    method: string,
    { signal, timeoutMs }: RequestOptions = {},
  ): NegotiatedConnection | Promise<NegotiatedConnection> {
    if (!this.#reopening) return this.#current;
    const ms = timeoutMs ?? this.#options.dispatcher.timeoutMs;
    return withRequestTimeout(this.#reopening, method, { signal, timeoutMs: ms });
  }

  /**
   * A step: picks the connection, and sends a call once more where the server cannot have served it, or may serve it twice.
   */
  async send(call: ClientCall, next: SendCall<ConnectionCall>): Promise<JsonObject> {
    const { method, params, options } = call;
    const startedMs = performance.now();
    const found = this.connectionFor(method, options);
    const connection = isPromiseLike(found) ? await found : found;
    const isLost = connection !== found;
    if (isLost) checkCursor(connection, params);
    try {
      const sent = isLost ? { ...options, ...this.#timeoutsSince(startedMs, options) } : options;
      return await next({ method, params, options: sent, connection });
    } catch (error) {
      // Once, since a second failure of that kind would be no accident.
      const again = await this.#nextAttempt(connection, method, error, options);
      const left = this.#timeoutsSince(startedMs, options);
      if (again === undefined || left === undefined) throw error;
      if (again !== connection) checkCursor(again, params);
      const { id: _used, ...rest } = options;
      return next({ method, params, options: { ...rest, ...left }, connection: again });
    }
  }

  /** What is left of a caller's patience, which counts from its call on. */
  #timeoutsSince(
    startedMs: number,
    { timeoutMs, maxTimeoutMs, resetTimeoutOnProgress }: ClientRequestOptions,
  ): Timeouts | undefined {
    const given = timeoutMs ?? this.#options.dispatcher.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const restarts = resetTimeoutOnProgress === true;
    return timeoutsAfter(performance.now() - startedMs, { timeoutMs: given, maxTimeoutMs, restarts });
  }

  /** The connection to send a failed request over again; undefined if it must not be. */
  async #nextAttempt(
    connection: NegotiatedConnection,
    method: string,
    error: unknown,
    options: ClientRequestOptions,
  ): Promise<NegotiatedConnection | undefined> {
    // The server has forgotten the session, so it has not served the request.
    if (isSessionExpired(error)) return this.#renew(connection, connection.negotiated);
    if (this.#isRevisionInDoubt(connection, error)) {
      const renewed = await this.#renew(connection, undefined);
      return renewed === connection ? undefined : renewed;
    }
    const { reissue = REPEATABLE.has(method) } = options;
    const isModern = eraOf(connection.negotiated.revision) === "modern";
    return reissue && isModern && isBrokenOff(error) ? this.ready() : undefined;
  }

  /** Whether an error says that the server does not speak the revision in use, or may say so. */
  #isRevisionInDoubt(connection: NegotiatedConnection, error: unknown): boolean {
    // A legacy revision is settled by its handshake: such an error is what a tool or a handler has thrown.
    const isModern = eraOf(connection.negotiated.revision) === "modern";
    if (!isModern || this.#options.negotiation.pinned !== undefined) return false;
    if (error instanceof ProtocolError && error.code === ErrorCode.unsupportedRevision) return true;
    const isAssumed = this.#assumed === connection && !connection.isAnswered;
    return isAssumed && isSilentOrForeign(error) && !mayHaveBeenServed(error);
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    const found = this.connectionFor(method);
    const connection = isPromiseLike(found) ? await found : found;
    return connection.notify(method, params);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pings?.stop();
    await this.#dispatcher?.close();
  }

  get #current(): NegotiatedConnection {
    if (this.#connection) return this.#connection;
    throw new SdkError("connection-closed", "This client is not connected; call open first");
  }

  #connect(target: ConnectTarget, options: NegotiationOptions): Promise<NegotiatedConnection> {
    if (!isCommand(target) || !mayOpenLegacy(options)) return this.#connectOnce(target, options);
    return connectProgram(target, {
      probed: () => this.#connectOnce(target, options, true),
      unprobed: () => this.#connectOnce(target, { ...options, skipsProbe: true }),
      // The first attempt has made the receiver.
      onRefused: () => this.#closed(this.#receiver as ClientReceiver),
    });
  }

  /** `isTrial`: if it fails, another attempt follows, so nobody hears yet that the connection is gone. */
  async #connectOnce(target: ConnectTarget, plan: NegotiationOptions, isTrial = false): Promise<NegotiatedConnection> {
    let isOpen = false;
    const receiver = this.#options.receiver(() => {
      if (isOpen || !isTrial) this.#closed(receiver);
    });
    this.#receiver = receiver;
    const onError = (error: Error) => {
      // Whoever opens the connection gets the loss as a rejection.
      if (isOpen || !isConnectionLoss(error)) this.#heard(error);
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

  async #negotiate(
    dispatcher: Dispatcher,
    receiver: ClientReceiver,
    plan: NegotiationOptions,
  ): Promise<NegotiatedConnection> {
    const negotiated = await negotiate(dispatcher, plan);
    receiver.settle(negotiated);
    const connection = new NegotiatedConnection(dispatcher, negotiated, this.#options.connection);
    this.#assumed = negotiated === plan.resumeFrom ? connection : undefined;
    this.#startPings(dispatcher, negotiated);
    return connection;
  }

  /** The modern era has neither pings nor connections that could be lost in silence. */
  #startPings(dispatcher: Dispatcher, { revision }: NegotiationResult): void {
    const { pingIntervalMs: intervalMs } = this.#options;
    this.#pings?.stop();
    if (intervalMs === undefined || eraOf(revision) === "modern") return;
    this.#pings = new PingTimer({
      intervalMs,
      ping: this.#options.ping,
      onSilence: (error) => {
        this.#report(error);
        void dispatcher.close();
      },
    });
  }

  #closed(receiver: ClientReceiver): void {
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

  #openAgain(reconnecting: ReconnectAttempts): void {
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

  async #reopen(reconnecting: ReconnectAttempts): Promise<NegotiatedConnection> {
    const { signal } = this.#closing;
    const plan = { ...this.#options.negotiation, resumeFrom: this.negotiated, signal };
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
  #establish(plan: NegotiationOptions): Promise<NegotiatedConnection> {
    const dispatcher = this.#dispatcher as Dispatcher;
    if (dispatcher.isClosed) return this.#connect(this.#target as ConnectTarget, plan);
    return this.#negotiate(dispatcher, this.#receiver as ClientReceiver, plan);
  }

  #settle(connection: NegotiatedConnection): void {
    this.#connection = connection;
    this.#reopening = undefined;
  }

  /**
   * Negotiates again over the same transport, unless somebody has seen to that already. With `resumeFrom` the server has forgotten
   * its session; without it the revision is in doubt, and `stale` stays if it proves right.
   */
  #renew(stale: NegotiatedConnection, resumeFrom: NegotiationResult | undefined): Promise<NegotiatedConnection> {
    if (this.#connection !== stale) return this.ready();
    // Set before the handshake begins, which may find the connection gone at once.
    this.#reopening ??= markHandled(Promise.resolve(stale).then((gone) => this.#negotiateAgain(gone, resumeFrom)));
    return this.#reopening;
  }

  async #negotiateAgain(
    stale: NegotiatedConnection,
    resumeFrom: NegotiationResult | undefined,
  ): Promise<NegotiatedConnection> {
    // A connection has a dispatcher and a receiver.
    const dispatcher = this.#dispatcher as Dispatcher;
    const receiver = this.#receiver as ClientReceiver;
    const plan = { ...this.#options.negotiation, resumeFrom, signal: this.#closing.signal };
    try {
      const renewed = await this.#negotiate(dispatcher, receiver, plan);
      if (resumeFrom === undefined && renewed.negotiated.revision === stale.negotiated.revision) {
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

/** The response had begun. One that ended with something else than the answer has a status. */
function isBrokenOff(error: unknown): boolean {
  return error instanceof SdkError && error.code === "stream-ended" && error.status === undefined;
}

function mayHaveBeenServed(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === ErrorCode.internalError;
  return error instanceof SdkError && (error.code === "request-timeout" || error.code === "stream-ended");
}

/** @throws {SdkError} `session-expired` for a cursor of an earlier session than the connection's. */
function checkCursor({ negotiated }: NegotiatedConnection, { cursor }: JsonObject): void {
  if (cursor !== undefined && eraOf(negotiated.revision) === "legacy") throw cursorExpired();
}
