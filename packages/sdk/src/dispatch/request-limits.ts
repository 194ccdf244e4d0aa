/**
 * Limits on the requests that are in progress: their number, and the bytes of their messages. A request counts while its
 * handler runs, even if it was cancelled meanwhile. A handler that returns no promise is never in progress.
 */
import { limitReached } from "../errors/limit-reached.js";
import type { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import { jsonBytes } from "../runtime/json-size.js";
import type { LimitLevel, Quota } from "../runtime/quota.js";
import type { Caller } from "../transport/caller.js";

/** The requests in progress on one connection, or in one session. */
export interface RequestLoad {
  requests: number;
  bytes: number;
}

export interface RequestLimitOptions {
  /** The level that `maxRequests` and `maxBytes` are about. */
  readonly level: "connection" | "session";
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Counts the requests of each principal and of the whole server. @defaultValue none */
  readonly requests?: Quota | undefined;
  /** Counts the bytes of each principal and of the whole server. @defaultValue none */
  readonly bytes?: Quota | undefined;
  /** A method whose requests stay open and whose number is limited elsewhere. @defaultValue none */
  readonly uncounted?: string | undefined;
}

export class RequestLimits {
  readonly #options: RequestLimitOptions;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /** The error to answer with if there is no room for one more that takes so many bytes. */
  refusal(
    load: RequestLoad,
    method: string,
    principal: string | undefined,
    messageBytes: number,
  ): ProtocolError | undefined {
    const { level, maxRequests, maxBytes, requests, bytes, uncounted } = this.#options;
    if (method !== uncounted) {
      if (load.requests >= maxRequests) return tooManyRequests(level);
      const full = requests?.fullLevel(principal, 1);
      if (full) return tooManyRequests(full);
    }
    if (load.bytes > 0 && load.bytes + messageBytes > maxBytes) return tooManyBytes(level);
    const overweight = bytes?.fullLevel(principal, messageBytes);
    return overweight && tooManyBytes(overweight);
  }

  enter(load: RequestLoad, method: string, principal: string | undefined, messageBytes: number): void {
    this.#count(load, method, principal, 1, messageBytes);
  }

  leave(load: RequestLoad, method: string, principal: string | undefined, messageBytes: number): void {
    this.#count(load, method, principal, -1, -messageBytes);
  }

  /** Counts something in while it runs. How it ends is up to whoever waits for it. */
  track(
    load: RequestLoad,
    method: string,
    principal: string | undefined,
    messageBytes: number,
    running: PromiseLike<unknown>,
  ): void {
    this.enter(load, method, principal, messageBytes);
    const leave = () => this.leave(load, method, principal, messageBytes);
    running.then(leave, leave);
  }

  #count(load: RequestLoad, method: string, principal: string | undefined, count: number, messageBytes: number): void {
    const { requests, bytes, uncounted } = this.#options;
    if (method !== uncounted) {
      load.requests += count;
      requests?.take(principal, count);
    }
    load.bytes += messageBytes;
    if (messageBytes !== 0) bytes?.take(principal, messageBytes);
  }
}

/** Below this a message is measured only once it is in progress. */
const SMALL_BYTES = 4_096;

/** What a request in progress takes besides its message: its context, its promises, its response. */
const REQUEST_BYTES = 4_096;

/** Measuring stops here: a message that takes more fills the share of a principal by itself. */
const MAX_MEASURED_BYTES = 16_777_216;

/** The bytes to ask room for. A text of a hundred kilobytes may take megabytes once it is parsed. */
export function arrivingBytes(caller: Caller | undefined, params: JsonObject | undefined): number {
  const length = caller?.messageBytes ?? 0;
  return length <= SMALL_BYTES ? length : length + jsonBytes(params, MAX_MEASURED_BYTES);
}

/** The bytes that a message in progress takes; 0 in process, where nothing was copied. */
export function progressBytes(caller: Caller | undefined, params: JsonObject | undefined): number {
  return caller?.messageBytes === undefined
    ? 0
    : REQUEST_BYTES + caller.messageBytes + jsonBytes(params, MAX_MEASURED_BYTES);
}

function tooManyRequests(level: LimitLevel): ProtocolError {
  return limitReached(level, `Too many requests in progress: the limit of this ${level} is reached`);
}

function tooManyBytes(level: LimitLevel): ProtocolError {
  return limitReached(level, `Requests in progress take too many bytes: the limit of this ${level} is reached`);
}
