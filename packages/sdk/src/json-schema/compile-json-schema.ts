/**
 * Compiles plain JSON Schema into a validator made of closures, without `eval`. Every validation keeps to a budget of
 * steps, whatever the schema and the value are.
 */
import type { JsonObject } from "../runtime/json.js";
import { requireDialect } from "./dialects.js";
import { readSchemaDocument } from "./document/schema-document.js";
import { compilationBudget, DEFAULT_LIMITS, type SchemaLimits } from "./limits.js";
import { clip, type ValidationIssue, type ValidationResult } from "./validation-result.js";
import { compileDocument } from "./validator/compile-document.js";
import { type Check, IssueReport, ValidationRun } from "./validator/validation-run.js";

/**
 * Compiles a schema. The validator fails a value that it cannot judge within the limits.
 * @throws UnusableSchemaError for a schema that is malformed, unsafe to run, over the limits, or in an unknown dialect
 */
export function compileJsonSchema(schema: JsonObject, limits: SchemaLimits = {}): (value: unknown) => ValidationResult {
  const { maxEvaluations = DEFAULT_LIMITS.maxEvaluations } = limits;
  const dialect = requireDialect(schema);
  const budget = compilationBudget(limits);
  const check = compileDocument(readSchemaDocument(schema, limits, budget), dialect, budget);
  return (value) => {
    try {
      if (check(value, new ValidationRun(maxEvaluations))) return { ok: true, value };
    } catch (thrown) {
      return { ok: false, issues: [unjudged(thrown)] };
    }
    return { ok: false, issues: findIssues(check, value, maxEvaluations) };
  };
}

/** Validates a value that failed once more, to collect the issues. */
function findIssues(check: Check, value: unknown, maxEvaluations: number): ValidationIssue[] {
  const report = new IssueReport();
  try {
    check(value, new ValidationRun(maxEvaluations, report));
  } catch {
    // The second pass does not stop at the first failure, so it may exceed the budget. The issues found until then hold.
  }
  return report.issues.length > 0 ? report.issues : [{ path: [], message: "does not match its schema" }];
}

/** The issue of a value that exceeds the limits, or whose getter throws. */
function unjudged(thrown: unknown): ValidationIssue {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { path: [], message: `cannot be validated: ${clip(reason)}` };
}
