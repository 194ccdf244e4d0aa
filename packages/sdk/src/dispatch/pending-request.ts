/** One outbound request that waits for its answer: its promise, its timeout, and the listener on its abort signal. */
import { SdkError } from "../errors/sdk-error.js";
import { callName } from "../protocol/call-name.js";
import type { JsonObject } from "../runtime/json.js";
import { type AbortWatcher, unwatchAbort, watchAbort } from "./abort-watch.js";
import { Deadline, type DeadlineOwner } from "./deadline.js";
import type { RequestId, RequestOptions } from "./dispatcher.js";
import type { Responder } from "./served-request.js";

/** The table that holds a pending request. */
export interface PendingOwner {
  /** The request settled. */
  settled(pending: PendingRequest): void;
  /** This side has cancelled the request or let it time out. The owner tells the peer. */
  abandoned(pending: PendingRequest, reason: string): void;
  /** The last error that delayed the answer, if known. */
  delayCause(pending: PendingRequest): Error | undefined;
}

/** The inbound request whose handler has sent this outbound request. */
export interface PendingParent {
  readonly id: RequestId;
  readonly responder?: Responder | undefined;
  adopt(pending: PendingRequest): void;
  release(pending: PendingRequest): void;
}

export class PendingRequest implements AbortWatcher, DeadlineOwner {
  readonly id: RequestId;
  readonly method: string;
  readonly options: RequestOptions;
  readonly parent: PendingParent | undefined;
  readonly promise: Promise<JsonObject>;
  /** The tool, prompt or resource that the request names. */
  subject: string | undefined;
  readonly #owner: PendingOwner;
  readonly #deadline: Deadline;
  #resolve!: (result: JsonObject) => void;
  #reject!: (error: Error) => void;
  #isSettled = false;

  /** Starts the timeout and listens to the signal, before the message is sent. */
  constructor(
    owner: PendingOwner,
    id: RequestId,
    method: string,
    options: RequestOptions,
    defaultTimeoutMs: number,
    parent: PendingParent | undefined,
  ) {
    this.id = id;
    this.method = method;
    this.options = options;
    this.parent = parent;
    this.#owner = owner;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { timeoutMs, maxTimeoutMs, resetTimeoutOnProgress } = options;
    this.#deadline = new Deadline(this, timeoutMs ?? defaultTimeoutMs, maxTimeoutMs, resetTimeoutOnProgress);
    if (options.signal !== undefined) watchAbort(options.signal, this);
    parent?.adopt(this);
  }

  /** The name of the request in error messages. */
  get name(): string {
    return callName(this.method, this.subject);
  }

  resolve(result: JsonObject): void {
    this.#settle();
    this.#resolve(result);
  }

  reject(error: Error): void {
    this.#settle();
    this.#reject(error);
  }

  /** Rejects the request and cancels it at the peer. `reason` is sent to the peer. */
  abandon(error: SdkError, reason: string): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#owner.abandoned(this, reason);
  }

  /** Suspends the timeout until `until` settles. */
  hold(until: Promise<unknown>): void {
    this.#deadline.hold(until);
  }

  progressed(): void {
    this.#deadline.restart();
  }

  aborted(signal: AbortSignal): void {
    const reason = typeof signal.reason === "string" ? signal.reason : "The caller aborted the request";
    this.abandon(requestAborted(this.name, signal), reason);
  }

  expired(ms: number): void {
    const cause = this.#owner.delayCause(this);
    const why = cause === undefined ? "" : ` (${cause.message})`;
    const message = `${this.name} was not answered within ${ms} ms${why}; timeoutMs allows more`;
    this.abandon(new SdkError("request-timeout", message, { cause }), `Not answered within ${ms} ms`);
  }

  /** Marks the request as settled. False if it was settled already. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#deadline.stop();
    if (this.options.signal !== undefined) unwatchAbort(this.options.signal, this);
    this.parent?.release(this);
    this.#owner.settled(this);
    return true;
  }
}

export function requestAborted(method: string, signal: AbortSignal): SdkError {
  return new SdkError("request-aborted", `${method} was aborted by its caller`, { cause: signal.reason });
}

/** The error for a message that could not be sent. An `SdkError` of the transport is returned unchanged. */
export function sendFailure(method: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  return new SdkError("connection-closed", `${method} could not be sent: the transport failed`, { cause });
}
