/** Reads what the referee lists: its scenarios, where they apply, and what each revision requires. */
import { type Leg, type RequiredLeg, type Revision, revisions } from "./revisions.js";

export interface Scenario {
  readonly leg: Leg;
  readonly name: string;
  /** Empty for a scenario of an extension, which belongs to no revision. */
  readonly revisions: readonly Revision[];
}

/** The scenarios of one leg, from `list --server`, `list --client` or `list --authorization`. */
export function parseScenarios(leg: Leg, listing: string): Scenario[] {
  const lines = found(listing, /^ {2}- (\S+) \[([^\]]+)\]$/gm);
  return lines.map(([, name = "", where = ""]) => {
    const named = where.split(",");
    return { leg, name, revisions: revisions.filter((revision) => named.includes(revision)) };
  });
}

/** The names that a requirement set scores, from `list --requirements`; what it only reports comes after them. */
export function parseRequired(listing: string): Record<RequiredLeg, string[]> {
  const [scored = ""] = listing.split("Run and reported");
  const [server = "", client = ""] = scored.split("Client scenarios");
  const names = (part: string) => found(part, /^ {2}- (\S+)$/gm).map(([, name = ""]) => name);
  return { server: names(server), client: names(client) };
}

/** A list that reads as empty is one whose form has changed, and nothing would be tested. */
function found(listing: string, line: RegExp): RegExpExecArray[] {
  const lines = [...listing.matchAll(line)];
  if (lines.length === 0) throw new Error(`The referee lists no scenario that can be read:\n${listing}`);
  return lines;
}
