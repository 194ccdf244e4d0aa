/**
 * Which patterns may be left to the built-in engine: those it cannot need more than linear time for. Two kinds are
 * found: patterns with few and short ways to match, and anchored ones in which every character has one way to go on.
 */
import { CharacterSet } from "./pattern-characters.js";
import type { PatternNode } from "./pattern-syntax.js";

const MAX_WEIGHT = 512;
/** Limits on deterministic patterns. */
const MAX_POSITIONS = 64;
const MAX_REPEAT = 1000;
/** The built-in engine takes tens of microseconds to compile a set with many ranges, and much longer for a property. */
const MAX_NATIVE_SIZE = 16;

/** How many steps the built-in engine may take for each character; `undefined` if there is no useful limit. */
export function nativeWeight(root: PatternNode): number | undefined {
  const { ways, steps } = extentOf(withoutOpenEnd(root));
  const weight = ways * (steps + 1);
  if (weight <= MAX_WEIGHT) return weight;
  return deterministicWeight(root);
}

/** How many sets with many ranges a pattern has the built-in engine compile; `undefined` for too many. */
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

/** A pattern found in the same texts: how often its last character is repeated makes no difference. */
function withoutOpenEnd(root: PatternNode): PatternNode {
  const parts = root.kind === "sequence" ? root.parts : [root];
  const last = parts.at(-1);
  if (last?.kind !== "repeat" || last.body.kind !== "character") return root;
  return { kind: "sequence", parts: [...parts.slice(0, -1), { ...last, max: last.min }] };
}

/** In how many ways a pattern can match, at most, and how many steps each can take. */
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

/** One place in a pattern where a character stands, with those that can come next. */
interface Position {
  readonly set: CharacterSet;
  readonly next: Position[];
}

interface Span {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly canBeEmpty: boolean;
}

/** Known for a pattern that begins with `^` and leaves no text a choice: then backtracking finds nothing to retry. */
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
  // Every character is met once on the way there and once on the way back.
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

  /** `undefined` for what may be ambiguous. */
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
        // A way round that is there already would be a second one for the same text.
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
