/** The tools that servers offer in a measure: the one of the workload, or many of its kind. */
import { DESCRIPTION, type inputSchema, type outputSchema, quoteSchemas, TOOL } from "./workload.js";

/** Every one of them is handled by `quote`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: typeof inputSchema;
  readonly outputSchema: typeof outputSchema;
}

export type Catalog = "one tool" | "many tools";

export const MANY = 1_000;

export function toolsOf(catalog: Catalog): readonly Tool[] {
  if (catalog === "one tool") return [{ name: TOOL, description: DESCRIPTION, ...quoteSchemas() }];
  return Array.from({ length: MANY }, (_, index) => ({
    name: `${TOOL}-${index}`,
    description: `${DESCRIPTION}, in region ${index}`,
    ...quoteSchemas(),
  }));
}
