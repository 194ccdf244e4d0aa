/**
 * Rate limits: how often one client may call a method. A client is identified by its principal, else by its address, else by
 * its connection. Clients whose address the host does not know share one bucket. With a store, principals and addresses are
 * counted by all processes together (shared-rates.ts). Limits on requests in progress are elsewhere (dispatch/request-limits.ts).
 */
import { limitReached } from "../errors/limit-reached.js";
import { checkRate } from "../errors/option-checks.js";
import { checkOptions, describeKind, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { isJsonObject } from "../runtime/json.js";
import type { LimitLevel } from "../runtime/quota.js";
import { type RateLimit, TokenBucket } from "../runtime/token-bucket.js";
import { type Caller, UNKNOWN_ADDRESS } from "../transport/caller.js";
import type { LeasedBucket, SharedRates } from "./shared-rates.js";

/** Rates by method, such as `"tools/call"`. `false` lifts the default limit of a method. */
export type RateLimitOptions = Readonly<Record<string, RateLimit | false | undefined>>;

const RATE: OptionTable<RateLimit> = { perSecond: true, burst: true };

/** Buckets per method. Beyond the limit, the bucket that was idle for longest is dropped; its client gets a full one. */
const MAX_CLIENTS = 10_000;
const MAX_CHARACTERS = 4_194_304;

export interface RateSettings {
  /** Counts the rates of all processes together. Passed in, so that clients do without its code. */
  readonly shared?: SharedRates | undefined;
  readonly now?: (() => number) | undefined;
}

type Bucket = TokenBucket | LeasedBucket;

export class RateLimits {
  readonly #byMethod = new Map<string, MethodRate>();

  /** @throws {SdkError} `invalid-argument` for a rate that is not a positive number. */
  constructor(
    options: RateLimitOptions | false | undefined,
    defaults: Readonly<Record<string, RateLimit>>,
    { shared, now = () => performance.now() }: RateSettings = {},
  ) {
    if (options === false) return;
    for (const [method, rate] of Object.entries({ ...defaults, ...present(options) })) {
      if (!rate) continue;
      checkOptions(`rateLimits["${method}"]`, rate, RATE);
      checkRate(`rateLimits["${method}"]`, rate, "; false lifts the limit");
      this.#byMethod.set(method, new MethodRate(method, rate, now, shared));
    }
  }

  /**
   * Counts one call. `connection` identifies a caller that has neither a principal nor an address. Returns a promise if the store
   * must be asked.
   * @throws {ProtocolError} 429 if the client calls the method too often, or rejects with it.
   */
  count(method: string, caller: Caller | undefined, connection: object): Promise<void> | undefined {
    return this.#byMethod.get(method)?.count(caller, connection);
  }
}

class MethodRate {
  readonly #method: string;
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #shared: SharedRates | undefined;
  readonly #byPrincipal = new BoundedMap<string, Bucket>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byAddress = new BoundedMap<string, Bucket>({ maxEntries: MAX_CLIENTS, maxWeight: MAX_CHARACTERS });
  readonly #byConnection = new WeakMap<object, TokenBucket>();

  constructor(method: string, rate: RateLimit, now: () => number, shared: SharedRates | undefined) {
    this.#method = method;
    this.#rate = rate;
    this.#now = now;
    this.#shared = shared;
  }

  count(caller: Caller | undefined, connection: object): Promise<void> | undefined {
    const principal = caller?.principal;
    if (principal !== undefined) return this.#countListed(this.#byPrincipal, principal, "principal");
    const address = caller?.address;
    if (address === undefined) return this.#countConnection(connection);
    return this.#countListed(this.#byAddress, address, address === UNKNOWN_ADDRESS ? "server" : "address");
  }

  #countListed(table: BoundedMap<string, Bucket>, key: string, level: LimitLevel): Promise<void> | undefined {
    const known = table.get(key);
    if (known?.takeUntimed()) return undefined;
    const nowMs = this.#now();
    const bucket = known ?? this.#createBucket(key, level, nowMs);
    if (known) table.touch(key);
    else table.set(key, bucket, key.length);
    return this.#take(bucket, nowMs, level);
  }

  #countConnection(connection: object): Promise<void> | undefined {
    const known = this.#byConnection.get(connection);
    if (known?.takeUntimed()) return undefined;
    const nowMs = this.#now();
    const bucket = known ?? new TokenBucket(this.#rate, nowMs);
    if (!known) this.#byConnection.set(connection, bucket);
    return this.#take(bucket, nowMs, "connection");
  }

  /** A level has no line break, so two keys are the same only if all their parts are. */
  #createBucket(key: string, level: LimitLevel, nowMs: number): Bucket {
    const shared = this.#shared?.bucket(`${level}\n${this.#method}\n${key}`, this.#rate);
    return shared ?? new TokenBucket(this.#rate, nowMs);
  }

  #take(bucket: Bucket, nowMs: number, level: LimitLevel): Promise<void> | undefined {
    const waitMs = bucket.take(nowMs);
    if (typeof waitMs === "number") return this.#check(waitMs, level);
    return waitMs.then((ms) => this.#check(ms, level));
  }

  /** @throws {ProtocolError} 429 */
  #check(waitMs: number, level: LimitLevel): undefined {
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

function present(options: RateLimitOptions = {}): Record<string, RateLimit | false> {
  if (!isJsonObject(options)) {
    const form = '{ "tools/call": { perSecond: 10, burst: 100 } }';
    const complaint = `expected false or an object such as ${form}, got ${describeKind(options)}`;
    throw new SdkError("invalid-argument", `rateLimits: ${complaint}`);
  }
  return Object.fromEntries(
    Object.entries(options).flatMap(([method, rate]) => (rate === undefined ? [] : [[method, rate]])),
  );
}
