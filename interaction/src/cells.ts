/** Where a requirement is run: each way of joining the two sides, at each revision it exists in. */
import {
  CONNECTIONS,
  type Connection,
  LACKS,
  NEWEST_REVISION,
  type Need,
  REVISIONS,
  REVISIONS_OVER,
  type Requirement,
  type RestrictionReason,
  type Revision,
} from "parley-requirements";

export interface Cell {
  /** `none` where a requirement is about registering or constructing, and nothing is connected. */
  readonly connection: Connection | "none";
  readonly revision: Revision;
}

/** Why a cell is left out. */
export type ExclusionReason =
  | RestrictionReason
  /** The behavior does not exist in the revision. */
  | "not-in-revision"
  /** The connection does not exist in the revision, or is no different from another there. */
  | "no-such-connection"
  /** The connection lacks what the entry needs. */
  | `needs-${Need}`;

export interface ExcludedCell extends Cell {
  readonly because: ExclusionReason;
}

export interface Cells {
  readonly admitted: readonly Cell[];
  readonly excluded: readonly ExcludedCell[];
}

export function cellsOf(requirement: Requirement): Cells {
  const { over, since = REVISIONS[0], until = NEWEST_REVISION, needs = [] } = requirement;
  const admitted: Cell[] = [];
  const excluded: ExcludedCell[] = [];
  if (over?.connections.length === 0) admitted.push({ connection: "none", revision: until });
  for (const connection of CONNECTIONS) {
    for (const revision of REVISIONS) {
      const cell = { connection, revision };
      const lacking = needs.find((need) => LACKS[connection].includes(need));
      if (over && !over.connections.includes(connection)) excluded.push({ ...cell, because: over.because });
      else if (revision < since || revision > until) excluded.push({ ...cell, because: "not-in-revision" });
      else if (!REVISIONS_OVER[connection].includes(revision))
        excluded.push({ ...cell, because: "no-such-connection" });
      else if (lacking) excluded.push({ ...cell, because: `needs-${lacking}` });
      else admitted.push(cell);
    }
  }
  return { admitted, excluded };
}

export function cellName({ connection, revision }: Cell): string {
  return connection === "none" ? "no connection" : `${connection} ${revision}`;
}
