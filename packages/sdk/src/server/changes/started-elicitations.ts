/** The pages that one legacy client was asked to open, until the server announces that the user is done. */
import { checkDuration, checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";

/** Limits on the pages that a legacy client was asked to open. */
export interface UrlElicitationLimits {
  /** Open pages of one connection. Beyond the limit, the server forgets the oldest. @defaultValue 1_024 */
  readonly max?: number | undefined;
  /** Forget a page that was opened this long ago. @defaultValue 3_600_000 */
  readonly ttlMs?: number | undefined;
  /** Clock, in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<UrlElicitationLimits> = { max: true, ttlMs: true, now: "function" };
const DEFAULT_MAX = 1_024;
const DEFAULT_TTL_MS = 3_600_000;

export class StartedElicitations {
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** The expiry of each id, oldest first. */
  readonly #expiries = new Map<string, number>();

  constructor({ max = DEFAULT_MAX, ttlMs = DEFAULT_TTL_MS, now = Date.now }: UrlElicitationLimits = {}) {
    this.#max = max;
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get size(): number {
    return this.#expiries.size;
  }

  start(elicitationId: string): void {
    const now = this.#now();
    this.#expiries.delete(elicitationId);
    this.#expiries.set(elicitationId, now + this.#ttlMs);
    for (const [oldest, expiresAt] of this.#expiries) {
      if (expiresAt > now && this.#expiries.size <= this.#max) break;
      this.#expiries.delete(oldest);
    }
  }

  /** Returns true if the client must be notified. True at most once per page. */
  finish(elicitationId: string): boolean {
    const expiry = this.#expiries.get(elicitationId);
    if (expiry === undefined) return false;
    this.#expiries.delete(elicitationId);
    return expiry > this.#now();
  }

  clear(): void {
    this.#expiries.clear();
  }
}

/** @throws {SdkError} `invalid-argument` */
export function checkUrlElicitationLimits(limits: UrlElicitationLimits): void {
  checkOptions("urlElicitations", limits, OPTIONS);
  const { max = DEFAULT_MAX, ttlMs = DEFAULT_TTL_MS } = limits;
  checkDuration("urlElicitations.ttlMs", ttlMs);
  checkWholeNumber("urlElicitations.max", max, 0);
}
