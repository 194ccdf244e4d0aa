/** Set-up file of Vitest: leaves in the metadata of a file of tests which mutants it has reached, if the sources are instrumented. */
import { afterAll, beforeAll } from "vitest";
import { MARKS, type Marks } from "./instrument.js";

/** Places of mutants among those of their file, by file. */
export type Reached = Readonly<Record<string, readonly number[]>>;

declare module "vitest" {
  interface TaskMeta {
    /** What has run while the file of tests was imported, and from then on. */
    reach?: { readonly imported: Reached; readonly ran: Reached };
  }
}

const table = globalThis as { [MARKS]?: Marks };
let imported: Reached = {};
take();

beforeAll(() => {
  imported = take();
});

// Runs after the hooks of the file, which are registered later.
// biome-ignore lint/correctness/noEmptyPattern: Vitest wants a pattern of fixtures there.
afterAll(({}, { file }) => {
  if (table[MARKS]) file.meta.reach = { imported, ran: take() };
});

/** The mutants reached since it was last called. */
function take(): Reached {
  const reached: Record<string, number[]> = {};
  for (const [file, marks] of Object.entries(table[MARKS] ?? {})) {
    const places = [...marks.keys()].filter((place) => marks[place] === 1);
    if (places.length > 0) reached[file] = places;
    marks.fill(0);
  }
  return reached;
}
