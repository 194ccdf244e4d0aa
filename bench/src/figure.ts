/**
 * The one shape that all measures share: what the tables, the JSON, the verdicts and the chart are made of. What is
 * measured, and how, belongs to each measure; how its figures are judged to `verdict.ts`.
 */

/** One figure of one contender. */
export interface Figure {
  /** The name of the measure: `http`, `stdio`, … */
  readonly measure: string;
  /** What was asked of every contender alike: `modern, 32 connections`. */
  readonly setting: string;
  /** `parley`, `official v2`, `floor`. */
  readonly contender: string;
  readonly role: Role;
  readonly unit: Unit;
  /** One per round; the median is shown. */
  readonly values: readonly number[];
  /** What a reader must know about this contender in this measure. */
  readonly note?: string;
}

/** References are shown and compared with, but no target is judged against them. */
export type Role = "ours" | "peer" | "floor" | "reference";

/** More `calls/s` are better; fewer of anything else. */
export type Unit = "calls/s" | "ms" | "KB" | "commands";

/** One thing that is measured; the command runs them one after the other. */
export interface Measure {
  readonly name: string;
  readonly title: string;
  /** Printed below its table. */
  readonly notMeasured: string;
  readonly targets: readonly Target[];
  run(options: RunOptions): Promise<readonly Figure[]>;
}

export interface RunOptions {
  readonly quick: boolean;
  /** Only the contenders whose names contain this, besides ours and the floor. */
  readonly only?: string;
}

/** What a figure of ours has to reach. */
export interface Target {
  /** Holds for the setting of this name, or for each that matches. */
  readonly setting: string | RegExp;
  readonly compare: Comparison;
  readonly at: number;
  /** What the verdict line calls it. */
  readonly label: string;
}

/**
 * - `of-floor`: ours divided by the floor is at least `at`
 * - `of-best-peer`: ours divided by the best peer is at least `at`
 * - `times-floor`: ours divided by the floor is at most `at`
 * - `above-floor`: ours minus the floor, round by round, is at most `at`
 * - `absolute`: ours is at most `at`
 */
export type Comparison = "of-floor" | "of-best-peer" | "times-floor" | "above-floor" | "absolute";

/** @throws {RangeError} for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError("no values, no median");
  return (lower + upper) / 2;
}

/** Whether a contender takes part in a run that asks for some by name. Ours and the floor always do. */
export function takesPart(contender: { readonly name: string; readonly role: Role }, only = ""): boolean {
  return contender.role === "ours" || contender.role === "floor" || contender.name.includes(only);
}
