/**
 * How often one client may call a method. A client is its principal; where nobody is authenticated, its address; where there
 * is no address, its connection. Requests in progress are limited elsewhere (dispatch/request-limits.ts).
 */
import { limitReached } from "../errors/limit-reached.js";
import { SdkError } from "../errors/sdk-error.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import type { LimitLevel } from "../runtime/quota.js";
import { type Rate, TokenBucket } from "../runtime/token-bucket.js";
import type { Caller } from "../transport/caller.js";

/** Rates by method, such as `"tools/call"`. `false` lifts the default of one. */
export type RateLimitOptions = Readonly<Record<string, Rate | false | undefined>>;

/** Clients that one method remembers. A client that was idle for longest is forgotten, and starts with a full bucket. */
const MAX_CLIENTS = 10_000;
const MAX_CHARACTERS = 4_194_304;
/** A client is moved to the end of its table once in this time, since that costs more than taking a token. */
const TOUCH_MS = 1_000;

interface Client {
  readonly bucket: TokenBucket;
  touchedMs: number;
}

export class RateLimits {
  readonly #byMethod = new Map<string, MethodRate>();
  readonly #now: () => number;

  /** @throws {SdkError} `invalid-argument` for a rate that admits nothing, or is no number. */
  constructor(
    options: RateLimitOptions | false | undefined,
    defaults: Readonly<Record<string, Rate>>,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    if (options === false) return;
    for (const [method, rate] of Object.entries({ ...defaults, ...present(options ?? {}) })) {
      if (rate) this.#byMethod.set(method, new MethodRate(method, checkedRate(method, rate)));
    }
  }

  /**
   * Counts one call. `connection` stands for a caller that has neither a principal nor an address.
   * @throws {ProtocolError} 429 if the client calls the method too often.
   */
  count(method: string, caller: Caller | undefined, connection: object): void {
    this.#byMethod.get(method)?.count(caller, connection, this.#now());
  }
}

class MethodRate {
  readonly #method: string;
  readonly #rate: Rate;
  readonly #byPrincipal = new BoundedMap<string, Client>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byAddress = new BoundedMap<string, Client>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byConnection = new WeakMap<object, TokenBucket>();

  constructor(method: string, rate: Rate) {
    this.#method = method;
    this.#rate = rate;
  }

  count(caller: Caller | undefined, connection: object, nowMs: number): void {
    const principal = caller?.principal;
    if (principal !== undefined) {
      this.#take(this.#listed(this.#byPrincipal, principal, nowMs), "principal", nowMs);
      return;
    }
    const address = caller?.address;
    if (address !== undefined) this.#take(this.#listed(this.#byAddress, address, nowMs), "address", nowMs);
    else this.#take(this.#ofConnection(connection, nowMs), "connection", nowMs);
  }

  #take(bucket: TokenBucket, level: LimitLevel, nowMs: number): void {
    const waitMs = bucket.take(nowMs);
    if (waitMs === 0) return;
    const { perSecond, burst } = this.#rate;
    const allowed = `${perSecond} per second, ${burst} at once`;
    throw limitReached(level, `Too many requests for ${this.#method}: this ${level} may send ${allowed}`, waitMs);
  }

  #listed(table: BoundedMap<string, Client>, key: string, nowMs: number): TokenBucket {
    const known = table.get(key);
    if (known === undefined) {
      const bucket = new TokenBucket(this.#rate, nowMs);
      table.set(key, { bucket, touchedMs: nowMs }, key.length);
      return bucket;
    }
    if (nowMs - known.touchedMs >= TOUCH_MS) {
      known.touchedMs = nowMs;
      table.touch(key);
    }
    return known.bucket;
  }

  #ofConnection(connection: object, nowMs: number): TokenBucket {
    const known = this.#byConnection.get(connection);
    if (known) return known;
    const bucket = new TokenBucket(this.#rate, nowMs);
    this.#byConnection.set(connection, bucket);
    return bucket;
  }
}

function present(options: RateLimitOptions): Record<string, Rate | false> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([method, rate]) => (rate === undefined ? [] : [[method, rate]])),
  );
}

function checkedRate(method: string, rate: Rate): Rate {
  const { perSecond, burst } = rate;
  if (isNumberFrom(Number.EPSILON, perSecond) && isNumberFrom(1, burst)) return { perSecond, burst };
  const given = `{ perSecond: ${perSecond}, burst: ${burst} }`;
  throw new SdkError(
    "invalid-argument",
    `rateLimits["${method}"]: expected perSecond above 0 and burst from 1, got ${given}; false lifts the limit`,
  );
}

function isNumberFrom(least: number, value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= least;
}
