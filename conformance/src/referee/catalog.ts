/** Reads what the referee lists: its scenarios, where they apply, and what each revision requires. */
import { type Leg, type Revision, revisions } from "./revisions.js";

export interface Scenario {
  readonly leg: Leg;
  readonly name: string;
  /** Empty for a scenario of an extension, which belongs to no revision. */
  readonly revisions: readonly Revision[];
}

/** The scenarios of one leg, from `list --server` or `list --client`. */
export function parseScenarios(leg: Leg, listing: string): Scenario[] {
  return [...listing.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)].map(([, name = "", where = ""]) => {
    const named = where.split(",");
    return { leg, name, revisions: revisions.filter((revision) => named.includes(revision)) };
  });
}

/** The names that a requirement set scores, from `list --requirements`; what it only reports comes after them. */
export function parseRequired(listing: string): Record<Leg, string[]> {
  const [scored = ""] = listing.split("Run and reported");
  const [server = "", client = ""] = scored.split("Client scenarios");
  const names = (part: string) => [...part.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
  return { server: names(server), client: names(client) };
}
