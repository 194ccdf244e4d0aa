/**
 * Which patterns may be tried on property names. The validation library runs those of `patternProperties` with the
 * built-in engine, so only small shapes that cannot make it backtrack at length are let through.
 */
import { type PatternNode, parsePattern } from "./pattern-syntax.js";

const maxPatternLength = 128;
const maxFixedCount = 64;

/**
 * Whether the built-in engine needs but linear time for this pattern: one choice at most; nothing repeated but single
 * characters; and one repetition of open length at most, which follows `^` or ends the pattern.
 */
export function isSafeNamePattern(pattern: string): boolean {
  const root = pattern.length > maxPatternLength ? undefined : parsePattern(pattern);
  if (root === undefined) return false;
  let choices = 0;
  let openRepeats = 0;
  for (const node of nodesOf(root)) {
    if (node.kind === "lookahead") return false;
    if (node.kind === "choice") choices += 1;
    if (node.kind !== "repeat") continue;
    if (node.body.kind !== "character" || node.min > maxFixedCount) return false;
    if (node.min !== node.max) openRepeats += 1;
  }
  const first = edgeOf(root, 0);
  const isAnchored = first.kind === "assertion" && first.assertion === "start";
  const isPinned = isAnchored || edgeOf(root, -1).kind === "repeat";
  return choices <= 1 && (openRepeats === 0 || (openRepeats === 1 && isPinned));
}

function* nodesOf(node: PatternNode): Iterable<PatternNode> {
  yield node;
  if (node.kind === "repeat") yield* nodesOf(node.body);
  if (node.kind === "sequence") for (const part of node.parts) yield* nodesOf(part);
  if (node.kind === "choice") for (const option of node.options) yield* nodesOf(option);
}

function edgeOf(node: PatternNode, index: 0 | -1): PatternNode {
  return (node.kind === "sequence" ? node.parts.at(index) : undefined) ?? node;
}
