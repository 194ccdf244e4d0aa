/** Where a requirement is run: each way of joining the two sides, at each revision it exists in. */
import {
  CONNECTIONS,
  type Connection,
  NEWEST_REVISION,
  REVISIONS,
  type Requirement,
  type RestrictionReason,
  type Revision,
} from "parley-requirements";

export interface Cell {
  /** `none` where a requirement is about registering or constructing, and nothing is connected. */
  readonly connection: Connection | "none";
  readonly revision: Revision;
}

/** Why a cell is left out: the manifest's own reason, or that the behavior does not exist in the revision. */
export type ExclusionReason = RestrictionReason | "not-in-revision";

export interface ExcludedCell extends Cell {
  readonly because: ExclusionReason;
}

export interface Cells {
  readonly admitted: readonly Cell[];
  readonly excluded: readonly ExcludedCell[];
}

export function cellsOf(requirement: Requirement): Cells {
  const { over, since = REVISIONS[0], until = NEWEST_REVISION } = requirement;
  const admitted: Cell[] = [];
  const excluded: ExcludedCell[] = [];
  if (over?.connections.length === 0) admitted.push({ connection: "none", revision: until });
  for (const connection of CONNECTIONS) {
    for (const revision of REVISIONS) {
      const cell = { connection, revision };
      if (over && !over.connections.includes(connection)) excluded.push({ ...cell, because: over.because });
      else if (revision < since || revision > until) excluded.push({ ...cell, because: "not-in-revision" });
      else admitted.push(cell);
    }
  }
  return { admitted, excluded };
}

export function cellName({ connection, revision }: Cell): string {
  return connection === "none" ? "no connection" : `${connection} ${revision}`;
}
