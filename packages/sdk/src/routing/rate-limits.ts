/**
 * Rate limits: how often one client may call a method. A client is identified by its principal, else by its address, else by
 * its connection. Clients whose address the host does not know share one bucket. Limits on requests in progress are
 * elsewhere (dispatch/request-limits.ts).
 */
import { limitReached } from "../errors/limit-reached.js";
import { checkRate } from "../errors/option-checks.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import type { LimitLevel } from "../runtime/quota.js";
import { type RateLimit, TokenBucket } from "../runtime/token-bucket.js";
import { type Caller, UNKNOWN_ADDRESS } from "../transport/caller.js";

/** Rates by method, such as `"tools/call"`. `false` lifts the default limit of a method. */
export type RateLimitOptions = Readonly<Record<string, RateLimit | false | undefined>>;

/** Buckets per method. Beyond the limit, the bucket that was idle for longest is dropped; its client gets a full one. */
const MAX_CLIENTS = 10_000;
const MAX_CHARACTERS = 4_194_304;

export class RateLimits {
  readonly #byMethod = new Map<string, MethodRate>();

  /** @throws {SdkError} `invalid-argument` for a rate that is not a positive number. */
  constructor(
    options: RateLimitOptions | false | undefined,
    defaults: Readonly<Record<string, RateLimit>>,
    now: () => number = () => performance.now(),
  ) {
    if (options === false) return;
    for (const [method, rate] of Object.entries({ ...defaults, ...present(options ?? {}) })) {
      if (!rate) continue;
      checkRate(`rateLimits["${method}"]`, rate, "; false lifts the limit");
      this.#byMethod.set(method, new MethodRate(method, rate, now));
    }
  }

  /**
   * Counts one call. `connection` identifies a caller that has neither a principal nor an address.
   * @throws {ProtocolError} 429 if the client calls the method too often.
   */
  count(method: string, caller: Caller | undefined, connection: object): void {
    this.#byMethod.get(method)?.count(caller, connection);
  }
}

class MethodRate {
  readonly #method: string;
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #byPrincipal = new BoundedMap<string, TokenBucket>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byAddress = new BoundedMap<string, TokenBucket>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byConnection = new WeakMap<object, TokenBucket>();

  constructor(method: string, rate: RateLimit, now: () => number) {
    this.#method = method;
    this.#rate = rate;
    this.#now = now;
  }

  count(caller: Caller | undefined, connection: object): void {
    const principal = caller?.principal;
    if (principal !== undefined) {
      this.#countListed(this.#byPrincipal, principal, "principal");
      return;
    }
    const address = caller?.address;
    if (address === undefined) this.#countConnection(connection);
    else this.#countListed(this.#byAddress, address, address === UNKNOWN_ADDRESS ? "server" : "address");
  }

  #countListed(table: BoundedMap<string, TokenBucket>, key: string, level: LimitLevel): void {
    const known = table.get(key);
    if (known?.takeUntimed()) return;
    const nowMs = this.#now();
    const bucket = known ?? new TokenBucket(this.#rate, nowMs);
    if (known) table.touch(key);
    else table.set(key, bucket, key.length);
    this.#take(bucket, nowMs, level);
  }

  #countConnection(connection: object): void {
    const known = this.#byConnection.get(connection);
    if (known?.takeUntimed()) return;
    const nowMs = this.#now();
    const bucket = known ?? new TokenBucket(this.#rate, nowMs);
    if (!known) this.#byConnection.set(connection, bucket);
    this.#take(bucket, nowMs, "connection");
  }

  /** @throws {ProtocolError} 429 */
  #take(bucket: TokenBucket, nowMs: number, level: LimitLevel): void {
    const waitMs = bucket.take(nowMs);
    if (waitMs === 0) return;
    const { perSecond, burst } = this.#rate;
    const allowed = `${perSecond} per second, ${burst} at once`;
    throw limitReached(
      level,
      `Too many requests for ${this.#method}: this ${level} ${level === "server" ? "takes" : "may send"} ${allowed}`,
      waitMs,
    );
  }
}

function present(options: RateLimitOptions): Record<string, RateLimit | false> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([method, rate]) => (rate === undefined ? [] : [[method, rate]])),
  );
}
