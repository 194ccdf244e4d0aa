/** What one run of the command found out: the file in `results/`, the tables of the documents and the chart are made of it. */
import type { Figure, Measure } from "./figure.js";
import type { Verdict } from "./verdict.js";

export interface BenchRun {
  readonly startedAt: string;
  readonly isQuick: boolean;
  readonly machine: { readonly node: string; readonly cpus: number; readonly model: string };
  readonly measures: readonly MeasureRun[];
}

export interface MeasureRun {
  readonly measure: Pick<Measure, "name" | "title" | "notMeasured">;
  readonly figures: readonly Figure[];
  readonly verdicts: readonly Verdict[];
  readonly seconds: number;
  /** Why it has no figures. */
  readonly failure?: string;
}
