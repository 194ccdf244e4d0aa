/**
 * The model of a connection: plays a story on two dispatchers and knows what each request must come to. Where messages
 * cross, and either end of a race is right, it takes what was seen and holds the rest against that.
 */
import { vi } from "vitest";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { Dispatcher, InboundRequest, Receiver, RequestOptions } from "../dispatcher.js";
import type { Connect, Connection, Side } from "./connection.fixture.js";
import { ModelCall, nameOfError, nameOfResult, other } from "./model-call.fixture.js";
import { checkBurst } from "./model-checks.fixture.js";
import { IN_USE, ModelIds } from "./model-ids.fixture.js";
import { type CallShape, type Operation, SIGNALS, type Story } from "./model-operations.fixture.js";
import { type RequestTables, watchRequestTables } from "./request-tables.fixture.js";

const ABORTED = AbortSignal.abort();

// Everything is delivered in microtasks, and all of those run before this.
const everythingDelivered = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A notification that was sent: whether its sender was told that it went out. */
export interface SentNotice {
  readonly expected: string;
  outcome: string | undefined;
}

export class DispatcherModel {
  readonly calls: ModelCall[] = [];
  readonly controllers: AbortController[] = [];
  readonly notices: SentNotice[] = [];
  readonly told: Record<Side, number[]> = { left: [], right: [] };
  readonly heard: Record<Side, unknown[]> = { left: [], right: [] };
  readonly crashes: Record<Side, number> = { left: 0, right: 0 };
  readonly closings: Record<Side, number> = { left: 0, right: 0 };
  readonly violations: string[] = [];
  readonly tables: RequestTables;
  readonly sendsBatches: boolean;
  burst = { hadTick: false, isClosing: false };
  isClosed = false;
  wireRead = 0;
  /** What the burst that closed reported beyond what is predicted: that depends on how far messages had come. */
  readonly reportedWhileClosing: Record<Side, number> = { left: 0, right: 0 };
  #connection!: Connection;
  readonly #signals: AbortController[] = [];
  readonly #closedSides = new Set<Side>();
  readonly #ids = new ModelIds();
  #now = 0;

  private constructor(tables: RequestTables, sendsBatches: boolean) {
    this.tables = tables;
    this.sendsBatches = sendsBatches;
    for (let index = 0; index < SIGNALS; index += 1) this.#signals.push(this.#newController());
  }

  /** Plays a story to its end. @throws when anything is not as the model says. */
  static async play(connect: Connect, sendsBatches: boolean, { before, closing, after }: Story): Promise<void> {
    // Of a story that failed, while a shorter one is looked for.
    vi.clearAllTimers();
    using tables = watchRequestTables();
    const model = new DispatcherModel(tables, sendsBatches);
    model.#connection = await connect({ left: model.#receiver("left"), right: model.#receiver("right") });
    for (const burst of before) await model.#play(burst);
    await model.#play(closing, true);
    for (const burst of after) await model.#play(burst);
    const letGo = model.#unreleased.map((): Operation => ({ kind: "answer", handler: 0, answer: "result" }));
    await model.#play(letGo);
  }

  get connection(): Connection {
    return this.#connection;
  }

  get now(): number {
    return this.#now;
  }

  async #play(burst: readonly Operation[], isClosing = false): Promise<void> {
    this.burst = { hadTick: false, isClosing };
    for (const operation of burst) {
      if (operation.kind !== "tick") this.#do(operation);
      else {
        this.burst.hadTick = true;
        for (let turn = 0; turn < operation.turns; turn += 1) await undefined;
      }
    }
    await everythingDelivered();
    checkBurst(this);
    this.isClosed ||= isClosing;
  }

  #do(operation: Exclude<Operation, { kind: "tick" }>): void {
    if (operation.kind === "request") this.#request(operation.from, operation.shape);
    else if (operation.kind === "batch") this.#requestBatch(operation.from, operation.shapes);
    else if (operation.kind === "nested") this.#requestFor(pick(this.#served, operation.handler), operation.shape);
    else if (operation.kind === "answer") this.#answer(pick(this.#unreleased, operation.handler), operation.answer);
    else if (operation.kind === "progress") this.#progress(pick(this.#served, operation.handler));
    else if (operation.kind === "notify-for") this.#notifyFor(pick(this.#served, operation.handler));
    else if (operation.kind === "notify") this.#notify(operation.from);
    else if (operation.kind === "abort") this.#abort(operation.signal);
    else if (operation.kind === "advance") this.#advance(operation.ms);
    else this.#close(operation.from);
  }

  #request(from: Side, shape: CallShape): void {
    const call = this.#open(from, shape, undefined);
    follow(call, this.#side(from).request(shape.method, { n: call.n }, this.#options(call)).then(nameOfResult));
  }

  #requestFor(parent: ModelCall | undefined, shape: CallShape): void {
    if (parent?.inbound === undefined) return;
    const call = this.#open(other(parent.from), shape, parent);
    follow(call, parent.inbound.request(shape.method, { n: call.n }, this.#options(call)).then(nameOfResult));
  }

  #requestBatch(from: Side, given: readonly CallShape[]): void {
    const isClosed = this.#isClosed(from);
    // What the outcome was is learnt at the end alone, so the model reads it off the cancellation on the wire.
    const calls = given.map((shape) => this.#open(from, { ...shape, method: "work" }, undefined));
    const sent = calls.filter((call) => call.refusal === undefined);
    for (const call of calls) {
      if (!isClosed) call.learntWith = calls;
      call.isBatched = this.sendsBatches;
      if (call.isBatched && call.refusal === undefined) call.answeredWith = sent;
    }
    const batch = calls.map((call) => ({ method: "work", params: { n: call.n }, options: this.#options(call) }));
    this.#side(from)
      .requestBatch(batch)
      .then(
        (settled) => {
          for (const [index, result] of settled.entries()) {
            const outcome = result.status === "fulfilled" ? nameOfResult(result.value) : nameOfError(result.reason);
            (calls[index] as ModelCall).outcome = outcome;
          }
        },
        (error: unknown) => {
          for (const call of calls) call.outcome = nameOfError(error);
        },
      );
  }

  #answer(call: ModelCall | undefined, answer: "result" | "error" | "crash"): void {
    if (call?.inbound === undefined) return;
    call.isReleased = true;
    if (!call.inbound.isSettled) call.produce(answerOf(call, answer));
    if (answer === "crash") this.crashes[other(call.from)] += 1;
    if (answer === "result") call.held.resolve({ n: call.n });
    else call.held.reject(answer === "error" ? refusalOf(call) : new Error("crash"));
  }

  #progress(call: ModelCall | undefined): void {
    if (call?.inbound === undefined || !wantsProgress(call.shape)) return;
    // Tells which call it belongs to, and its place among the reports of that call.
    const progress = call.n * 1_000 + call.reported.length;
    if (!call.inbound.isSettled) call.reported.push(progress);
    const params = { progressToken: call.inbound.id, progress };
    this.#expectNotice(call.inbound, call.inbound.notify("notifications/progress", params));
  }

  #notifyFor(call: ModelCall | undefined): void {
    if (call?.inbound === undefined) return;
    const from = other(call.from);
    const seq = this.told[from].length;
    if (!call.inbound.isSettled) this.told[from].push(seq);
    this.#expectNotice(call.inbound, call.inbound.notify("notifications/message", { seq }));
  }

  #notify(from: Side): void {
    const isClosed = this.#isClosed(from);
    const seq = this.told[from].length;
    if (!isClosed) this.told[from].push(seq);
    this.#followNotice(
      isClosed ? "connection-closed" : "sent",
      this.#side(from).notify("notifications/message", { seq }),
    );
  }

  #abort(index: number): void {
    const controller = this.#signals[index] as AbortController;
    this.#signals[index] = this.#newController();
    for (const call of this.calls) {
      if (call.isOpen && call.signal === controller.signal) call.given ??= "request-aborted";
    }
    controller.abort();
  }

  #advance(ms: number): void {
    // Whether a timeout was restarted by then depends on how far messages had come.
    if (this.burst.hadTick) return;
    this.#now += ms;
    for (const call of this.calls) {
      if (call.isOpen && call.expiresAt <= this.#now) call.given ??= "request-timeout";
    }
    vi.advanceTimersByTime(ms);
  }

  #close(from: Side): void {
    for (const call of this.calls) if (call.isOpen && call.from === from) call.given ??= "connection-closed";
    this.#closedSides.add(from);
    void this.#side(from).close();
  }

  #open(from: Side, shape: CallShape, parent: ModelCall | undefined): ModelCall {
    const n = this.calls.length;
    const signal = typeof shape.signal === "number" ? this.#signals[shape.signal]?.signal : undefined;
    const refusal = this.#refusal(from, shape, parent);
    const id = refusal === undefined ? this.#ids.draw(this.calls, from, shape.id, this.burst.hadTick) : IN_USE;
    const call = new ModelCall({
      ...{ n, from, shape, parent, now: this.#now, id },
      refusal: refusal ?? (id === IN_USE ? "request-id-in-use" : undefined),
      signal: shape.signal === "aborted" ? ABORTED : signal,
    });
    this.calls.push(call);
    return call;
  }

  #refusal(from: Side, shape: CallShape, parent: ModelCall | undefined): string | undefined {
    if (parent?.inbound?.isSettled) return "context-ended";
    if (this.#isClosed(from)) return "connection-closed";
    return shape.signal === "aborted" ? "request-aborted" : undefined;
  }

  #options({ shape, id, signal, heard, refusal }: ModelCall): RequestOptions {
    const isChosen = shape.id !== undefined && (refusal !== undefined || id === shape.id);
    return {
      ...(isChosen && { id: shape.id }),
      ...(signal !== undefined && { signal }),
      ...(shape.timeoutMs !== undefined && { timeoutMs: shape.timeoutMs }),
      ...(shape.maxTimeoutMs !== undefined && { maxTimeoutMs: shape.maxTimeoutMs }),
      ...(shape.restarts && { resetTimeoutOnProgress: true }),
      ...(shape.hasProgress && { onProgress: ({ progress }) => void heard.push(progress) }),
    };
  }

  #receiver(side: Side): Receiver {
    return {
      acceptsBatches: true,
      request: (inbound) => this.#serve(side, inbound),
      notification: (method, params) => {
        // Progress that nobody waits for ends up here; what matters is that it reached no caller.
        if (method !== "notifications/progress") this.heard[side].push(params?.seq);
      },
      closed: () => {
        this.closings[side] += 1;
      },
    };
  }

  #serve(side: Side, inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const call = this.calls[Number(inbound.params?.n)];
    if (call === undefined || call.from === side || call.inbound !== undefined || call.id !== inbound.id) {
      this.violations.push(`${side} was asked to serve ${inbound.method} ${JSON.stringify(inbound.params)} again`);
      return {};
    }
    call.inbound = inbound;
    if (call.shape.isWatching && inbound.signal.aborted) this.violations.push(`call ${call.n} began aborted`);
    if (call.shape.handler === "hold") return call.held.promise;
    call.isReleased = true;
    call.produce(answerOf(call, call.shape.handler === "return" ? "result" : "error"));
    if (call.shape.handler === "return") return { n: call.n };
    throw refusalOf(call);
  }

  get #served(): ModelCall[] {
    return this.calls.filter((call) => call.inbound !== undefined);
  }

  /** Also those that were cut off: handlers go on for a while and answer too late. */
  get #unreleased(): ModelCall[] {
    return this.#served.filter((call) => !call.isReleased);
  }

  #isClosed(side: Side): boolean {
    return this.isClosed || this.#closedSides.has(side);
  }

  #side(side: Side): Dispatcher {
    return this.#connection[side];
  }

  #newController(): AbortController {
    const controller = new AbortController();
    this.controllers.push(controller);
    return controller;
  }

  #expectNotice({ isSettled }: InboundRequest, promise: Promise<void>): void {
    this.#followNotice(isSettled ? "context-ended" : "sent", promise);
  }

  #followNotice(expected: string, promise: Promise<void>): void {
    const notice: SentNotice = { expected, outcome: undefined };
    this.notices.push(notice);
    follow(
      notice,
      promise.then(() => "sent"),
    );
  }
}

/** Notes what a promise came to. */
function follow(of: { outcome: string | undefined }, promise: Promise<string>): void {
  void promise.catch(nameOfError).then((outcome) => {
    of.outcome = outcome;
  });
}

function answerOf({ n }: ModelCall, answer: "result" | "error" | "crash"): string {
  return answer === "crash" ? "crash" : `${answer} ${JSON.stringify({ n })}`;
}

function refusalOf({ n }: ModelCall): ProtocolError {
  return new ProtocolError(-32_000, "No", { data: { n } });
}

function wantsProgress({ hasProgress, restarts }: CallShape): boolean {
  return hasProgress || restarts;
}

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from[index % from.length];
}
