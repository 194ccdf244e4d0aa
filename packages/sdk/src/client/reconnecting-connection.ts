/**
 * The client's connection to its server. Opens it, and opens it again after a loss or an expired session. This module chooses
 * the connection for a call; negotiated-connection.ts sends on one connection.
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
import { eraOf } from "../protocol/revisions.js";
import { createErrorCallback } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike, markHandled } from "../runtime/maybe-promise.js";
import { isSessionExpired } from "../transport/http/http-error.js";
import type { ClientRequestOptions } from "./call-options.js";
import type { ClientCall, ConnectionCall, SendCall } from "./client-call.js";
import type { ClientReceiver } from "./client-receiver.js";
import { type ConnectTarget, canReopen, checkTarget, dispatcherFor, isCommand } from "./connect-target.js";
import { NegotiatedConnection, type NegotiatedConnectionOptions } from "./negotiated-connection.js";
import {
  isLegacyAnswer,
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
  /** Interval of pings to a legacy server; undefined sends none. */
  readonly pingIntervalMs: number | undefined;
  /** Sends a ping over the connection in use. */
  ping(timeoutMs: number): Promise<unknown>;
  /** Makes the receiver of a connection. The receiver calls `onClosed` when the connection has ended. */
  receiver(onClosed: () => void): ClientReceiver;
  /** Called when a connection, and with it its subscriptions, is lost. `isFinal` if no other connection replaces it. */
  onLost(isFinal: boolean): void;
}

/** Methods that change nothing at the server, so that the client may send them twice. */
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

/**
 * The states of a client's connection, by the fields that hold them:
 *
 * | state | fields | calls |
 * |---|---|---|
 * | new | no `#target` | throw: `open` comes first |
 * | open | `#connection` | use `#connection` |
 * | reopening: lost, or its session or revision is in doubt | `#reopening` | wait for `#reopening` |
 * | over | `#isOver`, or `#closing` aborted | reject, since the dispatcher is closed |
 *
 * `#startReopening` (a loss) and `#startRenegotiation` (a new handshake over the same transport) begin to reopen.
 * `#finishReopening` returns to open.
 */
export class ReconnectingConnection {
  readonly #options: ReconnectingConnectionOptions;
  readonly #report: (error: Error) => void;
  readonly #closing = new AbortController();
  #target: ConnectTarget | undefined;
  #dispatcher: Dispatcher | undefined;
  #receiver: ClientReceiver | undefined;
  #connection: NegotiatedConnection | undefined;
  #attempts: ReconnectAttempts | undefined;
  #reopening: Promise<NegotiatedConnection> | undefined;
  #pings: PingTimer | undefined;
  #isOver = false;

  constructor(options: ReconnectingConnectionOptions) {
    this.#options = options;
    this.#report = createErrorCallback(options.dispatcher.onError);
  }

  /** Opens the first connection. A failure is not retried. */
  async open(target: ConnectTarget, signal: AbortSignal | undefined): Promise<void> {
    if (this.#target) throw new SdkError("invalid-argument", "This client was opened before; make a new one");
    checkTarget(target);
    this.#target = target;
    const { reconnect, negotiation } = this.#options;
    this.#connection = await this.#connect(target, { ...negotiation, signal });
    if (reconnect && canReopen(target)) this.#attempts = new ReconnectAttempts(reconnect);
  }

  /** Whether `open` was called. */
  get wasOpened(): boolean {
    return this.#target !== undefined;
  }

  /** Whether the connection has ended for good, or `close` was called. */
  get isOver(): boolean {
    return this.#isOver || this.#closing.signal.aborted;
  }

  /** Whether there is a connection, or one is being opened again. */
  get isOpen(): boolean {
    return this.#connection !== undefined && !this.isOver;
  }

  get negotiated(): NegotiationResult {
    return this.#current.negotiated;
  }

  /** Identifies the session that cursors belong to: in the legacy era each connection, in the modern era this object. */
  get session(): unknown {
    return eraOf(this.negotiated.revision) === "legacy" ? this.#current : this;
  }

  get mirrorsArguments(): boolean {
    return this.#current.mirrorsArguments;
  }

  /** The current connection. If it was lost, resolves with its replacement once that is open. */
  async ready(): Promise<NegotiatedConnection> {
    return this.#reopening ?? this.#current;
  }

  /**
   * The connection for one request. A promise only while a lost connection is being opened again. The time until it is open
   * counts against the timeout of the request.
   */
  connectionFor(
    method: string,
    { signal, timeoutMs }: RequestOptions = {},
  ): NegotiatedConnection | Promise<NegotiatedConnection> {
    if (!this.#reopening) return this.#current;
    const ms = timeoutMs ?? this.#options.dispatcher.timeoutMs;
    return withRequestTimeout(this.#reopening, method, { signal, timeoutMs: ms });
  }

  /** A step of a call: picks the connection. Repeats a failed call once if the server has not served it, or may serve it twice. */
  send(call: ClientCall, next: SendCall<ConnectionCall>): Promise<JsonObject> {
    const startedMs = performance.now();
    const connection = this.#reopening ? undefined : this.#connection;
    if (!connection) return this.#sendLater(call, next, startedMs);
    const { method, params, options } = call;
    return next({ method, params, options, connection }).catch((error: unknown) =>
      this.#sendAgain(call, next, startedMs, connection, error),
    );
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

  /** Sends a call over the connection that is being opened. */
  async #sendLater(call: ClientCall, next: SendCall<ConnectionCall>, startedMs: number): Promise<JsonObject> {
    const { method, params, options } = call;
    const connection = await this.connectionFor(method, options);
    checkCursor(connection, params);
    const left = this.#timeoutsSince(startedMs, options);
    return next({ method, params, options: { ...options, ...left }, connection }).catch((error: unknown) =>
      this.#sendAgain(call, next, startedMs, connection, error),
    );
  }

  /** Repeats a call that failed over `connection`. Only once, since a third attempt would fail alike. */
  async #sendAgain(
    { method, params, options }: ClientCall,
    next: SendCall<ConnectionCall>,
    startedMs: number,
    connection: NegotiatedConnection,
    error: unknown,
  ): Promise<JsonObject> {
    const again = await this.#nextAttempt(connection, method, error, options);
    const left = this.#timeoutsSince(startedMs, options);
    if (again === undefined || left === undefined) throw error;
    if (again !== connection) checkCursor(again, params);
    const { id: _used, ...rest } = options;
    return next({ method, params, options: { ...rest, ...left }, connection: again });
  }

  /** The remaining timeouts of a request that was called at `startedMs`. Undefined if no time is left. */
  #timeoutsSince(
    startedMs: number,
    { timeoutMs, maxTimeoutMs, resetTimeoutOnProgress }: ClientRequestOptions,
  ): Timeouts | undefined {
    const given = timeoutMs ?? this.#options.dispatcher.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return timeoutsAfter(performance.now() - startedMs, given, maxTimeoutMs, resetTimeoutOnProgress === true);
  }

  /** The connection to repeat a failed request on; undefined if it must not be repeated. */
  async #nextAttempt(
    connection: NegotiatedConnection,
    method: string,
    error: unknown,
    options: ClientRequestOptions,
  ): Promise<NegotiatedConnection | undefined> {
    // The server has forgotten the session, so it has not served the request.
    if (isSessionExpired(error)) return this.#startRenegotiation(connection, connection.negotiated);
    if (this.#isRevisionInDoubt(connection, error)) {
      const renewed = await this.#startRenegotiation(connection, undefined);
      return renewed === connection ? undefined : renewed;
    }
    const { reissue = REPEATABLE.has(method) } = options;
    const isModern = eraOf(connection.negotiated.revision) === "modern";
    return reissue && isModern && isBrokenOff(error) ? this.ready() : undefined;
  }

  /** Whether an error means, or may mean, that the server does not support the revision in use. */
  #isRevisionInDoubt(connection: NegotiatedConnection, error: unknown): boolean {
    // The handshake confirms a legacy revision. In the legacy era, such an error comes from a tool or a handler.
    const isModern = eraOf(connection.negotiated.revision) === "modern";
    if (!isModern || this.#options.negotiation.pinned !== undefined) return false;
    if (error instanceof ProtocolError && error.code === ErrorCode.unsupportedRevision) return true;
    const isAssumed = connection === this.#connection && !connection.isConfirmed;
    return isAssumed && isLegacyAnswer(error) && !mayHaveBeenServed(error);
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

  /** @param isTrial whether another attempt follows a failure, so that the end of this connection is not reported */
  async #connectOnce(
    target: ConnectTarget,
    options: NegotiationOptions,
    isTrial = false,
  ): Promise<NegotiatedConnection> {
    let isOpen = false;
    const receiver = this.#options.receiver(() => {
      if (isOpen || !isTrial) this.#closed(receiver);
    });
    this.#receiver = receiver;
    const onError = (error: Error) => {
      // During the opening, `open` rejects with the loss.
      if (isOpen || !isConnectionLoss(error)) this.#handleError(error);
    };
    const dispatcher = await dispatcherFor(target, () => receiver, { ...this.#options.dispatcher, onError });
    this.#dispatcher = dispatcher;
    try {
      const connection = await this.#negotiate(dispatcher, receiver, options);
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
    options: NegotiationOptions,
  ): Promise<NegotiatedConnection> {
    const negotiated = await negotiate(dispatcher, options);
    if (this.#closing.signal.aborted) {
      const message = "This client was closed while it was being connected; make a new one";
      throw new SdkError("connection-closed", message);
    }
    receiver.settle(negotiated);
    const connection = new NegotiatedConnection(dispatcher, negotiated, this.#options.connection);
    connection.isConfirmed = negotiated !== options.resumeFrom;
    this.#startPings(dispatcher, negotiated);
    return connection;
  }

  /** Starts pings in the legacy era. The modern era has no pings, and no connection that could be lost without an error. */
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
    // During `#reopen` and `#renegotiate`, these handle the loss of the connection themselves.
    if (this.#reopening || receiver !== this.#receiver) return;
    if (!this.#attempts || this.#closing.signal.aborted) {
      this.#end();
      return;
    }
    this.#startReopening(this.#attempts);
  }

  /** Handles an error that no call rejects with. A stream may be the first to get the error of an expired session. */
  #handleError(error: Error): void {
    if (isSessionExpired(error) && this.#attempts && !this.#reopening) this.#startReopening(this.#attempts);
    else this.#report(error);
  }

  #startReopening(attempts: ReconnectAttempts): void {
    this.#pings?.stop();
    attempts.lost();
    this.#reopening = markHandled(this.#reopen(attempts));
    this.#options.onLost(false);
  }

  async #reopen(attempts: ReconnectAttempts): Promise<NegotiatedConnection> {
    const { signal } = this.#closing;
    const options = { ...this.#options.negotiation, resumeFrom: this.negotiated, signal };
    while (await attempts.next(signal)) {
      try {
        const connection = await this.#establish(options);
        if (this.#dispatcher?.isClosed) continue;
        attempts.opened();
        this.#finishReopening(connection);
        return connection;
      } catch (cause) {
        if (signal.aborted) break;
        this.#report(new SdkError("connection-closed", "The connection could not be opened again", { cause }));
      }
    }
    await this.#dispatcher?.close();
    this.#reopening = undefined;
    this.#end();
    const advice = "connect another client, or allow more reconnect.maxAttempts";
    throw new SdkError("connection-closed", `The connection was lost and could not be opened again; ${advice}`);
  }

  /** Opens a new connection, or negotiates again over the open one. `open` has set the fields. */
  #establish(options: NegotiationOptions): Promise<NegotiatedConnection> {
    const dispatcher = this.#dispatcher as Dispatcher;
    if (dispatcher.isClosed) return this.#connect(this.#target as ConnectTarget, options);
    return this.#negotiate(dispatcher, this.#receiver as ClientReceiver, options);
  }

  #finishReopening(connection: NegotiatedConnection): void {
    this.#connection = connection;
    this.#reopening = undefined;
  }

  #end(): void {
    this.#isOver = true;
    this.#pings?.stop();
    this.#options.onLost(true);
  }

  /**
   * Negotiates again over the same transport, unless another call has started that already. `resumeFrom` is given if the session
   * has expired. It is undefined if the revision is in doubt: `stale` then stays in use if the server confirms its revision.
   */
  #startRenegotiation(
    stale: NegotiatedConnection,
    resumeFrom: NegotiationResult | undefined,
  ): Promise<NegotiatedConnection> {
    if (this.#connection !== stale) return this.ready();
    // `#reopening` must be set before the handshake starts, since the handshake may close the connection synchronously.
    this.#reopening ??= markHandled(Promise.resolve(stale).then((gone) => this.#renegotiate(gone, resumeFrom)));
    return this.#reopening;
  }

  async #renegotiate(
    stale: NegotiatedConnection,
    resumeFrom: NegotiationResult | undefined,
  ): Promise<NegotiatedConnection> {
    // A connection has a dispatcher and a receiver.
    const dispatcher = this.#dispatcher as Dispatcher;
    const receiver = this.#receiver as ClientReceiver;
    const options = { ...this.#options.negotiation, resumeFrom, signal: this.#closing.signal };
    try {
      const renewed = await this.#negotiate(dispatcher, receiver, options);
      if (dispatcher.isClosed) throw new SdkError("connection-closed", "The connection was lost after the handshake");
      if (resumeFrom === undefined && renewed.negotiated.revision === stale.negotiated.revision) {
        stale.isConfirmed = true;
        this.#finishReopening(stale);
        return stale;
      }
      this.#finishReopening(renewed);
      this.#options.onLost(false);
      return renewed;
    } catch (error) {
      this.#reopening = undefined;
      if (dispatcher.isClosed) this.#closed(receiver);
      throw error;
    }
  }
}

/** Whether the connection ended within a response. A complete response that lacks the answer has a status. */
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
