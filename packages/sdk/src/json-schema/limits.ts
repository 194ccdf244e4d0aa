/** Limits on what one schema may cost to compile, and one value to validate. */
import { type Budget, WorkBudget } from "../runtime/work-budget.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";

/** Limits on JSON Schemas and on validation. A schema or a value over a limit is refused. */
export interface SchemaLimits {
  /** Levels to which subschemas nest. @defaultValue 64 */
  readonly maxDepth?: number;
  /** Subschemas in one schema. @defaultValue 10_000 */
  readonly maxSubschemas?: number;
  /**
   * Steps to read and compile one schema. A member counts as 2 steps, a subschema as 12 more. Patterns and references add
   * steps.
   * @defaultValue 250_000
   */
  readonly maxCompilationSteps?: number;
  /**
   * Steps of one validation; reporting the issues may take as many again. Applying a subschema to a part of the value is
   * one step. Matching patterns, comparing values and looking up names add steps.
   * @defaultValue 250_000
   */
  readonly maxEvaluations?: number;
}

export const DEFAULT_LIMITS: Required<SchemaLimits> = {
  maxDepth: 64,
  maxSubschemas: 10_000,
  maxCompilationSteps: 250_000,
  maxEvaluations: 250_000,
};

/** The budget for reading and compiling one schema. */
export function compilationBudget({ maxCompilationSteps = DEFAULT_LIMITS.maxCompilationSteps }: SchemaLimits): Budget {
  return new WorkBudget(maxCompilationSteps, tooManySteps);
}

function tooManySteps(limit: number): Error {
  return new UnusableSchemaError(
    `The schema takes more than the limit of ${limit} steps to compile; make it smaller, or raise schemaLimits.maxCompilationSteps`,
  );
}
