/**
 * Validation of plain JSON Schema: the interface a validator implements, and the default one. That compiles a schema
 * into closures, without `eval`, and keeps to a budget that no value or author can make it exceed.
 */
import type { JsonObject } from "../protocol/json.js";
import { requireDialect } from "./dialects.js";
import { compilationBudget, readSchemaDocument, type SchemaLimits } from "./schema-document.js";
import { clip, type Issue, type ValidationResult } from "./validation.js";
import { compileDocument } from "./validator/compile-document.js";
import { Report } from "./validator/report.js";
import { type Check, Run } from "./validator/run.js";

/** Compiles plain JSON Schema. What it is given keeps to the limits and has no reference out of the document. */
export interface JsonSchemaValidator {
  /** @throws SdkError `unusable-schema` */
  compile(schema: JsonObject): (value: unknown) => ValidationResult;
}

const defaultMaxEvaluations = 250_000;

/** The validator used where none is given. It fails what it cannot judge within its limits. */
export function defaultJsonSchemaValidator(limits: SchemaLimits = {}): JsonSchemaValidator {
  const { maxEvaluations = defaultMaxEvaluations } = limits;
  return {
    compile(schema) {
      const dialect = requireDialect(schema);
      const budget = compilationBudget(limits);
      const check = compileDocument(readSchemaDocument(schema, limits, budget), dialect, budget);
      return (value) => {
        try {
          if (check(value, new Run(maxEvaluations))) return { ok: true, value };
        } catch (thrown) {
          return { ok: false, issues: [unjudged(thrown)] };
        }
        return { ok: false, issues: findIssues(check, value, maxEvaluations) };
      };
    },
  };
}

/** Goes over a value that failed once more, to say why. */
function findIssues(check: Check, value: unknown, maxEvaluations: number): Issue[] {
  const report = new Report();
  try {
    check(value, new Run(maxEvaluations, report));
  } catch {
    // There is more to look at than on the first pass, and so maybe too much. What was found until then is true.
  }
  return report.issues.length > 0 ? report.issues : [{ path: [], message: "does not match its schema" }];
}

/** The limits are exceeded, or a getter threw. */
function unjudged(thrown: unknown): Issue {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { path: [], message: `cannot be validated: ${clip(reason)}` };
}
