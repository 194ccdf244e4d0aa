/** One request as the model knows it: who made it, what became of it on either side, and what crossed for it. */
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest, RequestId } from "../dispatcher.js";
import { type Deferred, defer, type Side } from "./connection.fixture.js";
import type { CallShape } from "./model-operations.fixture.js";

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 3_600_000;

/** The ways a caller gives up; the peer is told. */
const ABANDONED: ReadonlySet<string | undefined> = new Set(["request-aborted", "request-timeout", "context-ended"]);

export interface CallOrigin {
  readonly n: number;
  readonly from: Side;
  readonly id: RequestId;
  readonly shape: CallShape;
  readonly signal: AbortSignal | undefined;
  /** The served request that it was made for. */
  readonly parent: ModelCall | undefined;
  /** Why nothing was sent, if so. */
  readonly refusal: string | undefined;
  readonly now: number;
}

export class ModelCall {
  readonly n: number;
  readonly from: Side;
  readonly id: RequestId;
  readonly shape: CallShape;
  readonly signal: AbortSignal | undefined;
  readonly parent: ModelCall | undefined;
  readonly refusal: string | undefined;
  readonly held: Deferred<JsonObject> = defer();
  readonly crossed = { requests: 0, cancellations: 0, answers: 0 };
  /** The calls whose answers go out in one message with this one's. */
  answeredWith: readonly ModelCall[] = [this];
  /** The calls whose outcomes the caller learns of together. */
  learntWith: readonly ModelCall[] = [this];
  isBatched = false;

  /** What the caller saw; what the model knows it must be. */
  outcome: string | undefined;
  end: string | undefined;
  /** That the caller aborted, timed out or closed in this burst. */
  given: string | undefined;
  readonly heard: number[] = [];
  reported: number[] = [];
  heardBefore = 0;
  /** That it had come to its end before this burst. */
  isOver = false;

  inbound: InboundRequest | undefined;
  isReleased = false;
  /** What the handler came to while it could still answer. */
  produced: string | undefined;
  isProducedNow = false;
  handlerEnd: "answered" | "cut off" | undefined;
  isHandlerEndNew = false;

  readonly #openedAt: number;
  restartedAt: number;

  constructor(origin: CallOrigin) {
    this.n = origin.n;
    this.from = origin.from;
    this.id = origin.id;
    this.shape = origin.shape;
    this.signal = origin.signal;
    this.parent = origin.parent;
    this.refusal = origin.refusal;
    this.#openedAt = origin.now;
    this.restartedAt = origin.now;
  }

  /** Ids with equal text mean the same request. */
  get key(): string {
    return `${this.id}`;
  }

  /** Sent and, as far as the model has checked, waiting. */
  get isOpen(): boolean {
    return this.refusal === undefined && this.end === undefined;
  }

  get isAbandoned(): boolean {
    return this.refusal === undefined && ABANDONED.has(this.end);
  }

  get isCancelled(): boolean {
    return this.isAbandoned && this.isCancellable;
  }

  get isServed(): boolean {
    return this.inbound !== undefined && this.handlerEnd === undefined;
  }

  get isCancellable(): boolean {
    return this.shape.method === "work";
  }

  get timers(): number {
    return this.shape.restarts ? 2 : 1;
  }

  get expiresAt(): number {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxTimeoutMs, restarts } = this.shape;
    const longest = maxTimeoutMs ?? (restarts ? DEFAULT_MAX_TIMEOUT_MS : Number.POSITIVE_INFINITY);
    return Math.min(this.restartedAt + timeoutMs, this.#openedAt + longest);
  }

  /** Whether the answers that go out with this one can: each handler has come to its end or was told to stop. */
  get isAnswerDue(): boolean {
    return this.answeredWith.every(
      (call) => call.produced !== undefined || call.handlerEnd !== undefined || call.#mayBeCancelled,
    );
  }

  /** Whether the burst so far may have settled it, so that nobody can say for sure. */
  get mayHaveSettled(): boolean {
    return this.answeredWith.some((call) => call.#isTouched) || this.parent?.mayHaveSettled === true;
  }

  get #mayBeCancelled(): boolean {
    return this.isCancellable && (this.given !== undefined || this.isAbandoned);
  }

  get #isTouched(): boolean {
    return this.given !== undefined || this.isProducedNow || this.shape.handler !== "hold";
  }

  produce(outcome: string): void {
    this.produced = outcome;
    this.isProducedNow = true;
  }

  endHandler(end: "answered" | "cut off"): void {
    this.handlerEnd = end;
    this.isHandlerEndNew = true;
  }

  /** Everything the caller may have seen by the end of the burst; empty if it must still be waiting. */
  possibleEnds(burst: { readonly hadTick: boolean; readonly isClosing: boolean }): Set<string> {
    const ends = new Set<string>();
    if (this.given !== undefined) ends.add(this.given);
    if (burst.isClosing) ends.add("connection-closed");
    // What the caller does itself comes first, unless messages had time to arrive before.
    if (this.given !== undefined && !burst.hadTick && !burst.isClosing) return ends;
    const isCutOff = this.handlerEnd === "cut off";
    if (this.produced !== undefined && !isCutOff && this.isAnswerDue) ends.add(this.produced);
    if (this.parent?.isHandlerEndNew) {
      ends.add(this.parent.handlerEnd === "answered" ? "context-ended" : "request-aborted");
    }
    return ends;
  }

  forgetBurst(): void {
    this.isOver = this.end !== undefined;
    this.given = undefined;
    this.isProducedNow = false;
    this.isHandlerEndNew = false;
    this.reported = [...this.heard];
    this.heardBefore = this.heard.length;
  }
}

/** What a caller saw, as one word that names the call whose answer it was. */
export function nameOfError(error: unknown): string {
  if (error instanceof SdkError) return error.code;
  if (!(error instanceof ProtocolError)) return `foreign: ${String(error)}`;
  if (error.code === -32603) return "crash";
  return `error ${JSON.stringify(error.data)}`;
}

export function other(side: Side): Side {
  return side === "left" ? "right" : "left";
}

export function nameOfResult(result: JsonObject): string {
  return `result ${JSON.stringify(result)}`;
}
