/** The limits of one server: requests in progress, and bytes held for its clients. */
import { RequestLimits } from "../dispatch/request-limits.js";
import { limitHeld, limitReached } from "../errors/limit-reached.js";
import { checkLimit } from "../errors/option-checks.js";
import { Quota } from "../runtime/quota.js";

/**
 * Limits on requests in progress and on retained bytes. A request in progress counts until its handler ends. Retained bytes
 * (a client's description, capabilities and subscriptions) count until the session, connection or subscription ends.
 * Unauthenticated callers have no limit per principal.
 */
export interface ServerLimitOptions {
  /** Requests in progress on one connection: a pipe, a socket, an HTTP connection. @defaultValue 1_024 */
  readonly maxRequestsPerConnection?: number | undefined;
  /** Requests in progress in one legacy session over HTTP. @defaultValue 1_024 */
  readonly maxRequestsPerSession?: number | undefined;
  /** Requests in progress of one principal. @defaultValue 2_048 */
  readonly maxRequestsPerPrincipal?: number | undefined;
  /** Requests in progress on the server. @defaultValue 16_384 */
  readonly maxRequests?: number | undefined;
  /** Bytes of the requests in progress on one connection. @defaultValue 33_554_432 */
  readonly maxBytesPerConnection?: number | undefined;
  /** Bytes retained for one legacy session or listen stream. @defaultValue 262_144 */
  readonly maxBytesPerSession?: number | undefined;
  /** Bytes in progress and retained for one principal. @defaultValue 16_777_216 */
  readonly maxBytesPerPrincipal?: number | undefined;
  /** Bytes in progress and retained for all clients together. @defaultValue 67_108_864 */
  readonly maxBytes?: number | undefined;
}

const DEFAULTS: Required<{ [Name in keyof ServerLimitOptions]: number }> = {
  maxRequestsPerConnection: 1_024,
  maxRequestsPerSession: 1_024,
  maxRequestsPerPrincipal: 2_048,
  maxRequests: 16_384,
  maxBytesPerConnection: 33_554_432,
  maxBytesPerSession: 262_144,
  maxBytesPerPrincipal: 16_777_216,
  maxBytes: 67_108_864,
};

export class ServerLimits {
  /** Limits of connections other than legacy sessions. */
  readonly connection: RequestLimits;
  readonly session: RequestLimits;
  /** Bytes in progress and retained. */
  readonly bytes: Quota;
  readonly maxBytesPerSession: number;

  /** @throws {SdkError} `invalid-argument` for a limit below 1. */
  constructor(options: ServerLimitOptions = {}) {
    const limits = { ...DEFAULTS };
    for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
      const { [name]: value = DEFAULTS[name] } = options;
      checkLimit(`limits.${name}`, value);
      limits[name] = value;
    }
    this.maxBytesPerSession = limits.maxBytesPerSession;
    this.bytes = new Quota(limits.maxBytes, limits.maxBytesPerPrincipal);
    const requests = new Quota(limits.maxRequests, limits.maxRequestsPerPrincipal);
    const both = {
      requests,
      bytes: this.bytes,
      maxBytes: limits.maxBytesPerConnection,
      uncounted: "subscriptions/listen",
    };
    this.connection = new RequestLimits({
      ...both,
      level: "connection",
      maxRequests: limits.maxRequestsPerConnection,
    });
    this.session = new RequestLimits({ ...both, level: "session", maxRequests: limits.maxRequestsPerSession });
  }
}

/** The bytes of an idle session or listen stream. Measured: 2 to 5 KB. */
export const CONNECTION_BYTES = 4_096;

/** The bytes retained for one session, connection or listen stream. */
export class RetainedBytes {
  readonly #limits: ServerLimits;
  readonly #principal: string | undefined;
  /** The bytes of the connection or stream itself, counted once. They do not count for `maxBytesPerSession`. */
  readonly #overhead: number;
  #bytes = 0;
  #isCounted = false;

  constructor(limits: ServerLimits, principal: string | undefined, overhead = 0) {
    this.#limits = limits;
    this.#principal = principal;
    this.#overhead = overhead;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes. @throws {ProtocolError} 429 at a limit of the session, its principal or the server. */
  add(bytes: number, what: string): void {
    const { maxBytesPerSession, bytes: quota } = this.#limits;
    if (this.#bytes + bytes > maxBytesPerSession) {
      throw limitHeld("session", `Too much to keep: ${what} would take this session over ${maxBytesPerSession} bytes`);
    }
    const overhead = this.#isCounted ? 0 : this.#overhead;
    const full = quota.fullLevel(this.#principal, bytes + overhead);
    if (full) throw limitReached(full, `Too much to keep: the bytes of this ${full} are used up`);
    this.#isCounted = true;
    this.#bytes += bytes;
    quota.take(this.#principal, bytes + overhead);
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    this.#limits.bytes.take(this.#principal, -bytes);
  }

  clear(): void {
    if (!this.#isCounted) return;
    this.#limits.bytes.take(this.#principal, -this.#bytes - this.#overhead);
    this.#bytes = 0;
    this.#isCounted = false;
  }
}
