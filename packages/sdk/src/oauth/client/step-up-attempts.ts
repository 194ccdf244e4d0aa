/** Counts how often a session has asked for the same set of scopes after a server's 403, and limits the number. */
import { SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { joinScopes } from "../grammar/scope.js";

const MAX_ATTEMPTS = 3;
const MAX_SETS = 100;
const MAX_CHARACTERS = 1_048_576;

export class StepUpAttempts {
  readonly #attempts = new BoundedMap<string, number>({ maxEntries: MAX_SETS, maxWeight: MAX_CHARACTERS });

  /** Counts one attempt. @throws {SdkError} `authorization-failed` if the set was asked for three times without success. */
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

  /** Resets the count of this set, since the server has accepted a token for it. */
  succeeded(scopes: readonly string[]): void {
    this.#attempts.delete(joinScopes(scopes.toSorted()));
  }
}
