/** Text that is described by its repetitions, so that megabytes of it can be doubled, swapped and printed. */
import type { Random } from "../random.js";
import type { CostTarget } from "./cost-target.js";

/** One piece many times. `%i` in a piece is the number of the repetition around it. */
type Run = readonly [piece: string, times: number];

export interface RepeatedText {
  readonly before: string;
  readonly runs: readonly Run[];
  /** Repetitions of all runs together. */
  readonly times: number;
  readonly after: string;
}

export interface TextCost {
  readonly name: string;
  /** Texts to begin with. */
  readonly seeds: readonly RepeatedText[];
  /** Pieces to swap in, besides those of the seeds. */
  readonly pieces: readonly string[];
  /** The longest text that a peer may send. */
  readonly maxLength: number;
  /** Makes a text ready. The returned function is measured. */
  prepare(text: string): (() => void) | undefined;
}

const INDEX = "%i";
const MAX_RUNS = 6;

export function repeated(piece: string, before = "", after = "", times = 8): RepeatedText {
  return { before, runs: [[piece, 1]], times, after };
}

function lengthOf({ before, runs, times, after }: RepeatedText): number {
  return before.length + after.length + times * runs.reduce((sum, [piece, count]) => sum + piece.length * count, 0);
}

function textOf({ before, runs, times, after }: RepeatedText): string {
  const group = runs.map(([piece, count]) => piece.repeat(count)).join("");
  if (!group.includes(INDEX)) return before + group.repeat(times) + after;
  const groups = Array.from({ length: times }, (_, index) => group.replaceAll(INDEX, String(index)));
  return before + groups.join("") + after;
}

/** A search over texts. */
export function textCost({ name, seeds, pieces, maxLength, prepare }: TextCost): CostTarget<RepeatedText> {
  const alphabet = [...new Set([...pieces, ...seeds.flatMap(({ runs }) => runs.map(([piece]) => piece))])];
  return {
    name,
    seed: (random) => random.pick(seeds),
    mutate: (input, random) => mutateText(input, alphabet, maxLength, random),
    bytes: lengthOf,
    prepare(input) {
      if (lengthOf(input) > maxLength) return undefined;
      const text = textOf(input);
      return text.length > maxLength ? undefined : prepare(text);
    },
    show: (input) => JSON.stringify(input),
  };
}

function mutateText(input: RepeatedText, alphabet: readonly string[], maxLength: number, random: Random): RepeatedText {
  const { runs, times } = input;
  const place = random.below(runs.length);
  const [piece, count] = runs[place] as Run;
  const replaced = (...others: Run[]) => ({ ...input, runs: runs.toSpliced(place, 1, ...others) });
  switch (random.below(8)) {
    case 0:
      return replaced([piece, resized(count, random)]);
    case 1:
      return replaced([random.pick(alphabet), count]);
    case 2:
      return runs.length < MAX_RUNS ? replaced([piece, count], [random.pick(alphabet), 1]) : input;
    case 3:
      return runs.length > 1 ? replaced() : input;
    case 4:
      // As long as may be: most costs show at full length alone.
      return { ...input, times: Math.max(1, Math.floor((maxLength * times) / (lengthOf(input) + 1))) };
    default:
      return { ...input, times: resized(times, random) };
  }
}

function resized(times: number, random: Random): number {
  return random.oneIn(4) ? Math.max(1, times >>> 1) : times * random.pick([2, 2, 4, 16]) + random.below(2);
}
