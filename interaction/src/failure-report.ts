/** What a failing test prints besides its error: the requirements it verifies, their sources, and the cell. */
import type { Requirement } from "parley-requirements";
import { type Cell, cellName } from "./cells.js";

/** Adds the report to the error's message. The error stays the same object, so that its diff and its stack are printed. */
export function reportFailure(thrown: unknown, verified: ReadonlyMap<string, Requirement>, cell: Cell): Error {
  const error = thrown instanceof Error ? thrown : new Error(`The test threw ${String(thrown)}`, { cause: thrown });
  const entries = [...verified].map(
    ([id, { behavior, source, strength }]) => `${id} (${strength})\n  ${behavior}\n  ${sourceText(source)}`,
  );
  const message = [error.message, "", ...entries, `run over: ${cellName(cell)}`].join("\n");
  // A DOMException has a getter for its message, which cannot be assigned to.
  return Object.defineProperty(error, "message", { value: message });
}

/** The link names the revision, the page and the section. */
function sourceText(source: Requirement["source"]): string {
  return typeof source === "string" ? source : `docs/decisions.md#${source.decision}`;
}
