/**
 * The client's line to its server: opens the connection, and opens it again when it was lost or the server has forgotten
 * the session. Requests go through it, so that no caller holds a connection that is gone.
 */
import type { BatchCall, Dispatcher, DispatcherOptions, RequestOptions } from "../dispatch/dispatcher.js";
import { createReport } from "../dispatch/error-report.js";
import { unwatched } from "../dispatch/unwatched.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import type { ServerCommand } from "../transport/server-command.js";
import type { ClientConnection } from "./client-connection.js";
import { type ConnectTarget, canReopen, dispatcherFor, isCommand } from "./connect-target.js";
import { mayOpenLegacy, type NegotiationPlan, negotiate, type Verdict } from "./negotiation.js";
import { type FetchOptions, OpenConnection, type OpenConnectionOptions } from "./open-connection.js";
import { patiently } from "./patience.js";
import { exitsOnProbe, forgetExit, rememberExit } from "./probe-averse-programs.js";
import { Reconnecting, type ReconnectPlan } from "./reconnecting.js";

export interface LinkOptions {
  readonly negotiation: Omit<NegotiationPlan, "signal">;
  readonly connection: OpenConnectionOptions;
  readonly dispatcher: DispatcherOptions;
  readonly reconnect: ReconnectPlan | undefined;
  /** Makes the receiving half of a connection; `onClosed` is to be called when it is gone. */
  receiver(onClosed: () => void): ClientConnection;
  /** What was subscribed on a connection is lost; `isFinal` when no other connection takes its place. */
  onLost(isFinal: boolean): void;
}

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
  #isOver = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#report = createReport(options.dispatcher.onError);
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

  get verdict(): Verdict {
    return this.#current.verdict;
  }

  get mirrorsArguments(): boolean {
    return this.#current.mirrorsArguments;
  }

  /** The connection in use; if it was lost, the one that takes its place, once that is open. */
  async ready(): Promise<OpenConnection> {
    return this.#reopening ?? this.#current;
  }

  async request(method: string, params: JsonObject, options?: FetchOptions): Promise<JsonObject> {
    const connection = this.#reopening ? await this.#whenReady(method, options) : this.#current;
    try {
      return await connection.request(method, params, options);
    } catch (error) {
      if (!(error instanceof SdkError && error.code === "session-expired")) throw error;
      // The server has not served it, so it can be sent again; once, since a second loss would be no accident.
      const renewed = await this.#renew(connection);
      return renewed.request(method, params, options);
    }
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
    return new OpenConnection(dispatcher, verdict, this.#options.connection);
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
    const isForgotten = error instanceof SdkError && error.code === "session-expired";
    if (isForgotten && this.#reconnecting && !this.#reopening) this.#openAgain(this.#reconnecting);
    else this.#report(error);
  }

  #openAgain(reconnecting: Reconnecting): void {
    reconnecting.lost();
    this.#reopening = unwatched(this.#reopen(reconnecting));
    this.#options.onLost(false);
  }

  #end(): void {
    this.#isOver = true;
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

  /** The server has forgotten the session of `stale`: a new one, unless somebody has seen to that already. */
  #renew(stale: OpenConnection): Promise<OpenConnection> {
    if (this.#connection !== stale) return this.ready();
    // Set before the handshake begins, which may find the connection gone at once.
    this.#reopening ??= unwatched(Promise.resolve(stale).then((gone) => this.#shakeHandsAgain(gone)));
    return this.#reopening;
  }

  async #shakeHandsAgain(stale: OpenConnection): Promise<OpenConnection> {
    // A connection has a dispatcher and a receiver.
    const dispatcher = this.#dispatcher as Dispatcher;
    const receiver = this.#receiver as ClientConnection;
    const plan = { ...this.#options.negotiation, prior: stale.verdict, signal: this.#closing.signal };
    try {
      const renewed = await this.#negotiate(dispatcher, receiver, plan);
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
