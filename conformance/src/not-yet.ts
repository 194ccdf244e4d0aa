/**
 * Everything that the referee holds against us and that does not fail the run: features still to be built, and findings
 * that the specification contradicts. An entry that is no longer needed fails the run, so that this list cannot rot.
 */

/** Scenarios of features that are still to be built. They run and are shown, and may fail. */
export interface NotYet {
  /** A scenario, or the beginning of several with a `*` after it. */
  readonly scenarios: string;
  readonly reason: string;
}

/** A failure or warning of the referee that the specification contradicts. */
export interface RefereeMistake {
  readonly scenario: string;
  readonly check: string;
  readonly reason: string;
}

export const notYet: readonly NotYet[] = [
  { scenarios: "auth/*", reason: "authorization" },
  { scenarios: "tasks-*", reason: "the tasks extension" },
  { scenarios: "sep-2640-*", reason: "the skills extension" },
];

export const refereeMistakes: readonly RefereeMistake[] = [
  {
    scenario: "input-required-result-ignore-extra-params",
    check: "sep-2322-ignore-unexpected-params",
    reason:
      "The referee answers a question in its very first call, before it was asked and so without the requestState that " +
      "came with the question, which the page on multi round-trip requests (basic/patterns/mrtr) obliges a client to send " +
      "back as it was. Answers that nobody asked for are not taken; the question is asked instead. Unknown keys beside a " +
      "real answer are ignored.",
  },
];
