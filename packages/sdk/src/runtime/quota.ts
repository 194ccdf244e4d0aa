/**
 * A counted resource of one server, such as requests in progress or bytes held for peers. It is limited in total and per
 * principal. Connections and sessions count their own part; this knows neither.
 */

/** The narrowest level at which a limit was reached. */
export type LimitLevel = "connection" | "session" | "address" | "principal" | "server";

export class Quota {
  readonly #max: number;
  readonly #maxPerPrincipal: number;
  /** Callers that nobody authenticated, together: they leave room for a principal. */
  readonly #maxUnnamed: number;
  readonly #byPrincipal = new Map<string, number>();
  /** What callers that nobody authenticated use. On a pipe they are all there is, so they need no table. */
  #unnamed = 0;
  /** While no more than this is in use, no level is full. */
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
   * The level that has no room for this much more. A level of which nothing is in use has room for any amount, so a limit
   * below the size of one message slows a principal down and never starves it.
   */
  fullLevel(principal: string | undefined, amount: number): "principal" | "server" | undefined {
    if (this.#used + amount <= this.#roomForAnyone) return undefined;
    if (principal === undefined) {
      if (isOver(this.#unnamed, amount, this.#maxUnnamed)) return "server";
    } else if (isOver(this.usedBy(principal), amount, this.#maxPerPrincipal)) return "principal";
    return isOver(this.#used, amount, this.#max) ? "server" : undefined;
  }

  /** Takes this much, or gives it back if it is below 0. */
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
   * Tells who may have to give something up so that a principal gets this much more: those that hold the most, if that is
   * at least as much as the principal would then hold. Otherwise the principal itself.
   */
  payers(principal: string | undefined, amount: number): (other: string | undefined) => boolean {
    let most = this.#unnamed;
    for (const used of this.#byPrincipal.values()) most = Math.max(most, used);
    if (most < this.usedBy(principal) + amount) return (other) => other === principal;
    return (other) => this.usedBy(other) === most;
  }
}

function isOver(used: number, amount: number, max: number): boolean {
  return used > 0 && used + amount > max;
}
