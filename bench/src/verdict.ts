/** Holds figures against the targets of their measure. Measures and prints nothing. */
import { type Comparison, type Figure, type Measure, median, type Target, type Unit } from "./figure.js";

export interface Verdict {
  readonly measure: string;
  readonly setting: string;
  readonly label: string;
  readonly compare: Comparison;
  /** What ours came to in the terms of the comparison; absent where there was nothing to compare with. */
  readonly actual?: number;
  readonly target: number;
  readonly unit: Unit;
  /** Whom ours was compared with. */
  readonly against?: string;
  readonly isReached: boolean;
}

/** One verdict per target and setting that it holds for. A target that no setting matches is missed. */
export function judge({ name, targets }: Measure, figures: readonly Figure[]): Verdict[] {
  return targets.flatMap((target) => {
    const settings = new Set(figures.map(({ setting }) => setting).filter((setting) => matches(target, setting)));
    if (settings.size === 0) return [unmeasured(name, String(target.setting), target, "calls/s")];
    return [...settings].map((setting) =>
      judgeSetting(
        name,
        target,
        figures.filter((figure) => figure.setting === setting),
      ),
    );
  });
}

/**
 * How many times the other ours is. Taken round by round where both have as many, since within a round the machine is
 * the same, and the median of that.
 */
export function timesOther(ours: Figure, other: Figure): number {
  if (ours.values.length !== other.values.length) return median(ours.values) / median(other.values);
  return median(ours.values.map((value, round) => value / (other.values[round] ?? Number.NaN)));
}

/** How much ours is above the other: the median of the differences of the rounds, where both have as many. */
function aboveOther(ours: Figure, other: Figure): number {
  if (ours.values.length !== other.values.length) return median(ours.values) - median(other.values);
  return median(ours.values.map((value, round) => value - (other.values[round] ?? Number.NaN)));
}

function matches({ setting }: Target, actual: string): boolean {
  return typeof setting === "string" ? setting === actual : setting.test(actual);
}

function judgeSetting(measure: string, target: Target, figures: readonly Figure[]): Verdict {
  const { compare, at } = target;
  const ours = figures.find(({ role }) => role === "ours");
  const other = otherFigure(compare, figures);
  const first = figures[0];
  if (ours === undefined || (other === undefined && compare !== "absolute")) {
    return unmeasured(measure, first?.setting ?? "", target, first?.unit ?? "calls/s");
  }
  const actual = compared(compare, ours, other ?? ours);
  const isReached = compare === "of-floor" || compare === "of-best-peer" ? actual >= at : actual <= at;
  return {
    ...{ measure, setting: ours.setting, label: target.label, compare, actual, target: at, unit: ours.unit, isReached },
    ...(other && { against: other.contender }),
  };
}

function unmeasured(measure: string, setting: string, { label, compare, at }: Target, unit: Unit): Verdict {
  return { measure, setting, label, compare, target: at, unit, isReached: false };
}

function otherFigure(compare: Comparison, figures: readonly Figure[]): Figure | undefined {
  if (compare === "absolute") return undefined;
  if (compare !== "of-best-peer") return figures.find(({ role }) => role === "floor");
  const peers = figures.filter(({ role }) => role === "peer");
  return peers.toSorted((a, b) => betterFirst(a, b))[0];
}

/** An order: more calls before fewer, less of anything else before more. */
function betterFirst(a: Figure, b: Figure): number {
  const difference = median(a.values) - median(b.values);
  return a.unit === "calls/s" ? -difference : difference;
}

function compared(compare: Comparison, ours: Figure, other: Figure): number {
  if (compare === "absolute") return median(ours.values);
  if (compare === "above-floor") return aboveOther(ours, other);
  return timesOther(ours, other);
}
