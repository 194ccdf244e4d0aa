/** Who serves over stdio, in which eras. mcp-lite does not. */
import { BY_HAND_NOTE } from "../by-hand.js";
import type { Era } from "../contender.js";
import { type Role, takesPart } from "../figure.js";

export interface StdioContender {
  readonly name: string;
  readonly role: Role;
  readonly era: Era;
  readonly program: string;
  readonly note?: string;
}

const BOTH = ["modern", "legacy"] as const;

export const STDIO_CONTENDERS: readonly StdioContender[] = [
  ...entrants("parley", "ours", "parley", BOTH),
  ...entrants("official v2", "peer", "official-v2", BOTH),
  ...entrants("official v1", "peer", "official-v1", ["legacy"]),
  ...entrants("tmcp", "peer", "tmcp", BOTH),
  ...entrants("fastmcp", "peer", "fastmcp", ["legacy"]),
  ...entrants("by hand", "reference", "by-hand", BOTH, BY_HAND_NOTE),
  ...entrants(
    "floor",
    "floor",
    "floor",
    BOTH,
    "reads lines, parses each, writes constants once per chunk; neither era nor schema",
  ),
];

/** Those who take part, era by era. */
export function stdioContenders(only: string | undefined): readonly StdioContender[] {
  return BOTH.flatMap((era) => STDIO_CONTENDERS.filter((each) => each.era === era && takesPart(each, only)));
}

function entrants(name: string, role: Role, file: string, eras: readonly Era[], note?: string): StdioContender[] {
  const program = new URL(`programs/${file}.js`, import.meta.url).pathname;
  return eras.map((era) => ({ name, role, era, program, ...(note !== undefined && { note }) }));
}
