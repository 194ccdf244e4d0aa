/** Counts how often a session asked for each set of scopes on a server's demand, and bounds it. */
import { SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { joinScopes } from "../grammar/scope.js";

const MAX_ATTEMPTS = 3;
const MAX_SETS = 100;
const MAX_CHARACTERS = 1_048_576;

export class StepUpAttempts {
  readonly #attempts = new BoundedMap<string, number>({ maxEntries: MAX_SETS, maxWeight: MAX_CHARACTERS });

  /** @throws {SdkError} `authorization-failed` if the set was asked for too often in vain. */
  begin(scopes: readonly string[]): void {
    const set = joinScopes(scopes.toSorted());
    const attempts = this.#attempts.get(set) ?? 0;
    if (attempts >= MAX_ATTEMPTS) {
      throw new SdkError(
        "authorization-failed",
        `The server refuses tokens for the scopes ${set}: ${attempts} logins did not help`,
        { status: 403 },
      );
    }
    this.#attempts.set(set, attempts + 1, set.length);
  }

  /** The server took a token: the sets that it covers were not asked for in vain. */
  succeeded(scopes: readonly string[]): void {
    this.#attempts.delete(joinScopes(scopes.toSorted()));
  }
}
