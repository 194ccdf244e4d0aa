/** The revisions that a client is told to speak. */
import { SdkError } from "../errors/sdk-error.js";
import { isRevision, REVISIONS } from "../protocol/revisions.js";

/** @throws {SdkError} `invalid-argument` for what is no revision, or no list of them. */
export function checkRevisions({ revision, revisions }: { revision?: unknown; revisions?: unknown }): void {
  if (revision !== undefined && !isRevision(revision)) throw unknown("revision: expected one", revision);
  if (revisions === undefined) return;
  if (!Array.isArray(revisions)) throw unknown("revisions: expected an array", revisions);
  if (revisions.length === 0) throw new SdkError("invalid-argument", "revisions: expected at least one");
  for (const [index, one] of revisions.entries()) {
    if (!isRevision(one)) throw unknown(`revisions[${index}]: expected one`, one);
  }
}

function unknown(expected: string, given: unknown): SdkError {
  const got = typeof given === "string" ? JSON.stringify(given) : String(given);
  return new SdkError("invalid-argument", `${expected} of ${REVISIONS.join(", ")}; got ${got}`);
}
