/** Table of the outbound requests of one connection that are not answered yet: issues ids, matches answers and progress. */
import { fromWireError } from "../errors/error-mapping.js";
import { checkDuration } from "../errors/option-checks.js";
import { SdkError } from "../errors/sdk-error.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { NODE_BYTES, textBytes } from "../runtime/json-size.js";
import { TransientMap } from "../runtime/transient-map.js";
import type { JsonRpcError } from "../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../wire/json-rpc.js";
import { DEFAULT_TIMEOUT_MS, type ProgressReport, type RequestId, type RequestOptions } from "./dispatcher.js";
import { type PendingOwner, type PendingParent, PendingRequest, requestAborted } from "./pending-request.js";

const NO_OPTIONS: RequestOptions = {};

/** A caller's numeric id from here on does not advance the counter, so the counter stays far from its end. */
const COUNTER_END = 2 ** 52;

/** Limits of the remembered ids that callers chose. The oldest are dropped first. */
const CHOSEN_BOUNDS = { maxEntries: 10_000, maxWeight: 1_048_576 };

/** The dispatcher, as the table sees it. */
export interface PendingHost {
  abandoned(pending: PendingRequest, reason: string): void;
  /** The last error that delayed the answer, if known. */
  delayCause?(id: RequestId): Error | undefined;
}

export class PendingRequests implements PendingOwner {
  /** Undefined until the first request: most server sessions send none. */
  #byKey: TransientMap<RequestId, PendingRequest> | undefined;
  readonly #defaultTimeoutMs: number;
  readonly #report: ErrorCallback;
  readonly #host: PendingHost;
  readonly #idPrefix: string | undefined;
  /** Ids that callers chose, except numbers that the counter has passed. */
  #chosen: BoundedMap<RequestId, true> | undefined;
  #nextId = 1;
  /** The last error answer without an id. A peer sends one before it closes the connection. */
  #lastError: Error | undefined;

  /** @throws {SdkError} `invalid-argument` for a default timeout that is not positive. */
  constructor(
    report: ErrorCallback,
    host: PendingHost,
    defaultTimeoutMs: number = DEFAULT_TIMEOUT_MS,
    idPrefix?: string | undefined,
  ) {
    checkDuration("timeoutMs", defaultTimeoutMs);
    this.#idPrefix = idPrefix;
    this.#defaultTimeoutMs = defaultTimeoutMs;
    this.#report = report;
    this.#host = host;
  }

  /** @throws {SdkError} if the id is invalid or in use, the signal is aborted, or a duration is invalid. */
  open(method: string, options: RequestOptions = NO_OPTIONS, parent?: PendingParent): PendingRequest {
    if (options.signal?.aborted === true) throw requestAborted(method, options.signal);
    const id = options.id === undefined ? this.#freeId() : this.#checkedId(options.id);
    const pending = new PendingRequest(this, id, method, options, this.#defaultTimeoutMs, parent);
    this.#byKey ??= new TransientMap();
    this.#byKey.set(correlationKey(id), pending);
    return pending;
  }

  /** Whether a request with the id was sent, as far as remembered. A number that the counter has passed counts as used. */
  hasIssued(id: RequestId): boolean {
    const key = correlationKey(id);
    if (typeof key === "string" && this.#idPrefix !== undefined && key.startsWith(this.#idPrefix)) return true;
    return (typeof key === "number" && key >= 1 && key < this.#nextId) || this.#chosen?.has(key) === true;
  }

  find(id: RequestId): PendingRequest | undefined {
    return this.#byKey?.get(correlationKey(id));
  }

  receiveResult(id: RequestId, result: unknown): void {
    this.#lastError = undefined;
    const pending = this.find(id);
    if (pending === undefined) this.#reportUnexpected(id);
    else if (isJsonObject(result)) pending.resolve(result);
    else pending.reject(new SdkError("invalid-result", `The result of ${pending.name} must be an object`));
  }

  receiveError(id: RequestId | undefined, error: JsonRpcError["error"]): void {
    const pending = id === undefined ? undefined : this.find(id);
    if (pending === undefined) this.#reportUnexpected(id, error);
    else pending.reject(fromWireError(error));
  }

  /** Passes progress to its request. False if no pending request has the token. */
  receiveProgress(params: JsonObject | undefined): boolean {
    const token = params?.progressToken;
    const pending = isRequestId(token) ? this.find(token) : undefined;
    if (params === undefined || pending === undefined || !wantsProgress(pending.options)) return false;
    const progress = readProgress(params);
    if (progress === undefined) {
      const message = `Progress of ${pending.method} was dropped: params.progress must be a number`;
      this.#report(new SdkError("invalid-message", message));
      return true;
    }
    pending.progressed();
    runGuarded(
      () => pending.options.onProgress?.(progress),
      (cause) => this.#report(new SdkError("handler-failed", `onProgress of ${pending.method} failed`, { cause })),
    );
    return true;
  }

  /** Ends a `subscriptions/listen` of this side that the peer cancels. The peer cannot cancel other requests of this side. */
  endStream(params: JsonObject | undefined): void {
    const id = params?.requestId;
    const pending = isRequestId(id) ? this.find(id) : undefined;
    if (pending?.method !== "subscriptions/listen") return;
    // The same result as a server sends to end the subscription.
    pending.resolve({ _meta: { [MetaKey.subscriptionId]: pending.id } });
  }

  /** The error that the peer sent before it closed the connection, if any. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  rejectAll(what: string, cause: Error | undefined): void {
    for (const pending of this.#byKey?.values() ?? []) {
      const why = cause === undefined ? "" : `: ${cause.message}`;
      const message = `${what} before ${pending.name} was answered${why}`;
      pending.reject(new SdkError("connection-closed", message, { cause }));
    }
  }

  settled(pending: PendingRequest): void {
    // A request settles once, and another request can use its id only afterwards. So this never removes another request.
    // The table exists: `open` has added the request to it.
    (this.#byKey as TransientMap<RequestId, PendingRequest>).delete(correlationKey(pending.id));
  }

  abandoned(pending: PendingRequest, reason: string): void {
    this.#host.abandoned(pending, reason);
  }

  delayCause({ id }: PendingRequest): Error | undefined {
    return this.#host.delayCause?.(id);
  }

  #freeId(): RequestId {
    const number = this.#nextId++;
    return this.#idPrefix === undefined ? number : `${this.#idPrefix}${number}`;
  }

  #checkedId(id: RequestId): RequestId {
    if (!isRequestId(id)) {
      throw new SdkError(
        "invalid-argument",
        `A request id must be a string or an integer below 2^53, got ${String(id)}`,
      );
    }
    const holder = this.find(id);
    if (holder === undefined) {
      this.#reserve(correlationKey(id));
      return id;
    }
    const message = `Request id ${JSON.stringify(id)} is in use: ${holder.method} still waits for its answer`;
    throw new SdkError("request-id-in-use", message);
  }

  /** Reserves a caller's id, since an id is used once per connection: advances the counter past a number, remembers any other id. */
  #reserve(key: RequestId): void {
    if (typeof key === "number" && key >= this.#nextId && key < COUNTER_END) this.#nextId = key + 1;
    else if (!this.hasIssued(key)) this.#remember(key);
  }

  #remember(key: RequestId): void {
    // Created on first use: callers rarely choose ids, and an empty map takes memory.
    this.#chosen ??= new BoundedMap(CHOSEN_BOUNDS);
    this.#chosen.set(key, true, NODE_BYTES + textBytes(String(key)));
  }

  #reportUnexpected(id: RequestId | undefined, error?: JsonRpcError["error"]): void {
    const cause = error === undefined ? undefined : fromWireError(error);
    if (id === undefined) this.#lastError = cause;
    const message =
      id === undefined
        ? "The peer answered with an error that names no request"
        : `The peer answered request ${JSON.stringify(id)}, which is not waiting for an answer`;
    this.#report(new SdkError("unexpected-answer", message, { cause }));
  }
}

function readProgress({ progress, total, message }: JsonObject): ProgressReport | undefined {
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}

/** Whether a request asks for progress: for `onProgress`, or to restart its timeout. */
export function wantsProgress({ onProgress, resetTimeoutOnProgress }: RequestOptions): boolean {
  return onProgress !== undefined || resetTimeoutOnProgress === true;
}

/** A copy of the params with the request's id as progress token. Other members of `_meta` stay. */
export function withProgressToken(params: JsonObject | undefined, id: RequestId): JsonObject {
  const meta = params?._meta;
  return { ...params, _meta: { ...(isJsonObject(meta) && meta), progressToken: id } };
}
