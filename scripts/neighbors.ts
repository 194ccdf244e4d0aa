/** Files beside the checkout that tests read. Without them a run proves less, and its tally says what. */
import { existsSync } from "node:fs";

interface Neighbor {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** What is not tested without it. */
  readonly lost: string;
}

const NEIGHBORS: readonly Neighbor[] = [
  {
    path: "../shared/spec/2026-07-28.schema.json",
    lost: "messages and types are not compared with the JSON schemas of the specification",
  },
  {
    path: "../shared/reference/json-schema-suite/tests/draft2020-12/type.json",
    lost: "the cases of the official JSON Schema Test Suite are not run",
  },
  {
    path: "../shared/reference/requirements.tsv",
    lost: "the known behaviors are not compared with the list they were collected from",
  },
];

/** One line for each missing file. */
export function missingNeighbors(root: URL): string[] {
  return NEIGHBORS.filter(({ path }) => !existsSync(new URL(path, root))).map(
    ({ path, lost }) => `${path} is missing: ${lost}`,
  );
}
