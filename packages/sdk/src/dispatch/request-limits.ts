/**
 * Limits on the requests that are in progress: their number, and the bytes of their messages. A request counts while its
 * handler runs, even if it was cancelled meanwhile. A handler that returns no promise is never in progress.
 */
import { limitReached } from "../errors/limit-reached.js";
import type { ProtocolError } from "../errors/protocol-error.js";
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
  /** Counts the requests of each principal and of the whole server. */
  readonly requests?: Quota | undefined;
  /** Counts the bytes of each principal and of the whole server. */
  readonly bytes?: Quota | undefined;
  /** A method whose requests stay open and are limited elsewhere. */
  readonly uncounted?: string | undefined;
}

export class RequestLimits {
  readonly #options: RequestLimitOptions;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /** The error to answer with if there is no room for one more. */
  refusal(load: RequestLoad, method: string, caller: Caller | undefined): ProtocolError | undefined {
    const { level, maxRequests, maxBytes, requests, bytes, uncounted } = this.#options;
    if (method === uncounted) return undefined;
    if (load.requests >= maxRequests) return tooManyRequests(level);
    const principal = caller?.principal;
    const full = requests?.fullLevel(principal, 1);
    if (full) return tooManyRequests(full);
    const size = caller?.messageBytes ?? 0;
    if (load.bytes > 0 && load.bytes + size > maxBytes) return tooManyBytes(level);
    const overweight = bytes?.fullLevel(principal, size);
    return overweight && tooManyBytes(overweight);
  }

  enter(load: RequestLoad, method: string, caller: Caller | undefined): void {
    this.#count(load, method, caller, 1);
  }

  leave(load: RequestLoad, method: string, caller: Caller | undefined): void {
    this.#count(load, method, caller, -1);
  }

  /** Counts something in while it runs. How it ends is up to whoever waits for it. */
  track(load: RequestLoad, method: string, caller: Caller | undefined, running: PromiseLike<void>): void {
    this.enter(load, method, caller);
    const leave = () => this.leave(load, method, caller);
    running.then(leave, leave);
  }

  #count(load: RequestLoad, method: string, caller: Caller | undefined, sign: 1 | -1): void {
    const { requests, bytes, uncounted } = this.#options;
    if (method === uncounted) return;
    const size = sign * (caller?.messageBytes ?? 0);
    load.requests += sign;
    load.bytes += size;
    requests?.take(caller?.principal, sign);
    if (size !== 0) bytes?.take(caller?.principal, size);
  }
}

function tooManyRequests(level: LimitLevel): ProtocolError {
  return limitReached(level, `Too many requests in progress: the limit of this ${level} is reached`);
}

function tooManyBytes(level: LimitLevel): ProtocolError {
  return limitReached(level, `Requests in progress take too many bytes: the limit of this ${level} is reached`);
}
