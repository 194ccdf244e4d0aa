/**
 * The one list of what the referee may find missing: scenarios of features that are still to be built. They run and are
 * shown, and do not fail the run. An entry that is no longer needed does, so that this list cannot rot.
 */
export interface NotYet {
  /** A scenario, or the beginning of several with a `*` after it. */
  readonly scenarios: string;
  readonly reason: string;
}

export const notYet: readonly NotYet[] = [];
