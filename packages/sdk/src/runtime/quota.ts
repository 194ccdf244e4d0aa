/**
 * A counted resource of one server, such as requests in progress or bytes held for peers. It has a limit in total and one
 * per principal. Limits of connections and sessions are counted elsewhere (dispatch/request-limits.ts).
 */

/** The narrowest level at which a limit was reached. */
export type LimitLevel = "connection" | "session" | "address" | "principal" | "server";

export class Quota {
  readonly #max: number;
  readonly #maxPerPrincipal: number;
  /** The limit of all unauthenticated callers together. It leaves room for one principal. */
  readonly #maxUnnamed: number;
  readonly #byPrincipal = new Map<string, number>();
  /** The amount that unauthenticated callers use. A number and no table entry, since a pipe has no other callers. */
  #unnamed = 0;
  /** Fast path: up to this amount in use, no level can be full. */
  readonly #roomForAnyone: number;
  #used = 0;

  constructor(max: number, maxPerPrincipal: number) {
    this.#max = max;
    this.#maxPerPrincipal = maxPerPrincipal;
    this.#maxUnnamed = max > 2 * maxPerPrincipal ? max - maxPerPrincipal : max;
    this.#roomForAnyone = Math.min(max, maxPerPrincipal, this.#maxUnnamed);
  }

  get used(): number {
    return this.#used;
  }

  usedBy(principal: string | undefined): number {
    return principal === undefined ? this.#unnamed : (this.#byPrincipal.get(principal) ?? 0);
  }

  /**
   * The level that has no room for this amount; undefined if all have. A level that is not in use has room for any amount.
   * So a limit below the size of one message slows a principal down and never starves it.
   */
  fullLevel(principal: string | undefined, amount: number): "principal" | "server" | undefined {
    if (this.#used + amount <= this.#roomForAnyone) return undefined;
    if (principal === undefined) {
      if (isOver(this.#unnamed, amount, this.#maxUnnamed)) return "server";
    } else if (isOver(this.usedBy(principal), amount, this.#maxPerPrincipal)) return "principal";
    return isOver(this.#used, amount, this.#max) ? "server" : undefined;
  }

  /** Takes an amount. A negative amount gives it back. */
  take(principal: string | undefined, amount: number): void {
    this.#used += amount;
    if (principal === undefined) {
      this.#unnamed += amount;
      return;
    }
    const used = this.usedBy(principal) + amount;
    if (used > 0) this.#byPrincipal.set(principal, used);
    else this.#byPrincipal.delete(principal);
  }

  /**
   * Selects the principals to evict from so that `principal` gets this amount: those that hold the most, if they hold at least as
   * much as `principal` would then hold. Otherwise `principal` itself.
   */
  victims(principal: string | undefined, amount: number): (other: string | undefined) => boolean {
    let most = this.#unnamed;
    for (const used of this.#byPrincipal.values()) most = Math.max(most, used);
    if (most < this.usedBy(principal) + amount) return (other) => other === principal;
    return (other) => this.usedBy(other) === most;
  }
}

function isOver(used: number, amount: number, max: number): boolean {
  return used > 0 && used + amount > max;
}
