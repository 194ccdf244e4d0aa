/**
 * Limits on requests in progress: their number, and the bytes of their messages. A request counts while its handler runs,
 * even after it was cancelled. A synchronous handler is never counted.
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
  /** The level that `maxRequests` and `maxBytes` limit. */
  readonly level: "connection" | "session";
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Counts the requests of each principal and of the whole server. @defaultValue none */
  readonly requests?: Quota | undefined;
  /** Counts the bytes of each principal and of the whole server. @defaultValue none */
  readonly bytes?: Quota | undefined;
  /** A method that does not count as a request, since another limit bounds its number. @defaultValue none */
  readonly uncounted?: string | undefined;
}

export class RequestLimits {
  readonly #options: RequestLimitOptions;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /** The error answer if one more request of `messageBytes` exceeds a limit; undefined within the limits. */
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

  /** Stops counting bytes of a request that is still in progress. */
  release(load: RequestLoad, principal: string | undefined, bytes: number): void {
    load.bytes -= bytes;
    this.#options.bytes?.take(principal, -bytes);
  }

  /** Counts a request until `running` settles. The caller handles its outcome. */
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

/** Messages up to this size are not measured on arrival. */
const SMALL_BYTES = 4_096;

/** Memory of a request in progress besides its message: its context, promises and response. */
const REQUEST_BYTES = 4_096;

/** Measuring stops here: a larger message fills the default limit of a principal by itself. */
const MAX_MEASURED_BYTES = 16_777_216;

/** Bytes of an arriving message. A parsed message may take many times the memory of its text. */
export function arrivingBytes(caller: Caller | undefined, params: JsonObject | undefined): number {
  const length = caller?.messageBytes ?? 0;
  return length <= SMALL_BYTES ? length : length + jsonBytes(params, MAX_MEASURED_BYTES);
}

/** Bytes of a message in progress. 0 for in-process connections, which copy nothing. */
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
