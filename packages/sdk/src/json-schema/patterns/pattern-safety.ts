/**
 * Finds the patterns that the built-in engine runs in linear time. There are two kinds: patterns with few and short ways to
 * match, and anchored deterministic patterns, in which every character leaves one way to continue.
 */
import { CharacterSet } from "./pattern-characters.js";
import type { PatternNode } from "./pattern-syntax.js";

const MAX_WEIGHT = 512;
/** Limits on deterministic patterns. */
const MAX_POSITIONS = 64;
const MAX_REPEAT = 1000;
/** The built-in engine takes tens of microseconds to compile a set with many ranges, and much longer for a property. */
const MAX_NATIVE_SIZE = 16;

/** The maximum number of steps of the built-in engine for each character; `undefined` if there is no useful limit. */
export function nativeWeight(root: PatternNode): number | undefined {
  const { ways, steps } = extentOf(withoutOpenEnd(root));
  const weight = ways * (steps + 1);
  if (weight <= MAX_WEIGHT) return weight;
  return deterministicWeight(root);
}

/** The number of sets with many ranges that the built-in engine compiles; `undefined` for too many. */
export function nativeSize(root: PatternNode): number | undefined {
  const size = sizeOf(root);
  return size > MAX_NATIVE_SIZE ? undefined : size;
}

function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "character":
      return node.set.nativeSize;
    case "assertion":
      return 0;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + sizeOf(option), 0);
    default:
      return sizeOf(node.body);
  }
}

/** A pattern that occurs in the same texts, without the repetition of its last character. */
function withoutOpenEnd(root: PatternNode): PatternNode {
  const parts = root.kind === "sequence" ? root.parts : [root];
  const last = parts.at(-1);
  if (last?.kind !== "repeat" || last.body.kind !== "character") return root;
  return { kind: "sequence", parts: [...parts.slice(0, -1), { ...last, max: last.min }] };
}

/** The maximum number of ways in which a pattern can match, and of the steps of each. */
function extentOf(node: PatternNode): { ways: number; steps: number } {
  switch (node.kind) {
    case "character":
    case "assertion":
      return { ways: 1, steps: 1 };
    case "lookahead":
      return { ways: Number.POSITIVE_INFINITY, steps: 1 };
    case "sequence":
      return node.parts
        .map(extentOf)
        .reduce((whole, part) => ({ ways: whole.ways * part.ways, steps: whole.steps + part.steps }), {
          ways: 1,
          steps: 0,
        });
    case "choice":
      return node.options.map(extentOf).reduce((whole, option) => ({
        ways: whole.ways + option.ways,
        steps: Math.max(whole.steps, option.steps),
      }));
    case "repeat": {
      if (node.max === Number.POSITIVE_INFINITY) return { ways: Number.POSITIVE_INFINITY, steps: 1 };
      const { ways, steps } = extentOf(node.body);
      return { ways: (node.max - node.min + 1) * ways ** node.max, steps: (steps + 1) * node.max };
    }
  }
}

/** One character of a pattern, with the characters that can come next. */
interface Position {
  readonly set: CharacterSet;
  readonly next: Position[];
}

interface Span {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly canBeEmpty: boolean;
}

/** The weight of a deterministic pattern that begins with `^`. Backtracking finds nothing to retry in it. */
function deterministicWeight(root: PatternNode): number | undefined {
  if (root.kind !== "sequence") return undefined;
  const [start, ...parts] = root.parts;
  if (start?.kind !== "assertion" || start.assertion !== "start") return undefined;
  const end = parts.at(-1);
  if (end?.kind === "assertion" && end.assertion === "end") parts.pop();
  const survey = new Survey();
  const span = survey.sequence(parts);
  if (span === undefined) return undefined;
  const ways = [span.first, ...survey.positions.map(({ next }) => next)];
  // The engine visits every character twice: once forward and once while it backtracks.
  const isUnambiguous = ways.every((positions) => CharacterSet.areDisjoint(positions.map(({ set }) => set)));
  return isUnambiguous ? 2 * Math.max(...ways.map(({ length }) => length)) : undefined;
}

class Survey {
  readonly positions: Position[] = [];

  sequence(parts: readonly PatternNode[]): Span | undefined {
    let whole: Span = { first: [], last: [], canBeEmpty: true };
    for (const part of parts) {
      const span = this.#spanOf(part);
      if (span === undefined) return undefined;
      connect(whole.last, span.first);
      whole = {
        first: whole.canBeEmpty ? [...whole.first, ...span.first] : whole.first,
        last: span.canBeEmpty ? [...whole.last, ...span.last] : span.last,
        canBeEmpty: whole.canBeEmpty && span.canBeEmpty,
      };
    }
    return whole;
  }

  /** The span of a node; `undefined` if the node may be ambiguous. */
  #spanOf(node: PatternNode): Span | undefined {
    switch (node.kind) {
      case "character": {
        const position = { set: node.set, next: [] };
        if (this.positions.push(position) > MAX_POSITIONS) return undefined;
        return { first: [position], last: [position], canBeEmpty: false };
      }
      case "sequence":
        return this.sequence(node.parts);
      case "choice":
        return this.#choice(node.options);
      case "repeat": {
        const body =
          node.max > MAX_REPEAT && node.max !== Number.POSITIVE_INFINITY ? undefined : this.#spanOf(node.body);
        if (body === undefined || body.canBeEmpty) return undefined;
        // The loop connects the end to the start. An existing connection makes the loop ambiguous.
        if (node.max > 1) connect(body.last, body.first);
        return { ...body, canBeEmpty: node.min === 0 };
      }
      default:
        return undefined;
    }
  }

  #choice(options: readonly PatternNode[]): Span | undefined {
    const spans: Span[] = [];
    for (const option of options) {
      const span = this.#spanOf(option);
      if (span === undefined) return undefined;
      spans.push(span);
    }
    const empty = spans.filter((span) => span.canBeEmpty).length;
    if (empty > 1) return undefined;
    return {
      first: spans.flatMap((span) => span.first),
      last: spans.flatMap((span) => span.last),
      canBeEmpty: empty === 1,
    };
  }
}

function connect(from: readonly Position[], to: readonly Position[]): void {
  for (const position of from) position.next.push(...to);
}
