/**
 * Validation of plain JSON Schema: the interface a validator implements, and the default one. That runs
 * `@cfworker/json-schema`, which needs no `eval`, on a rewritten schema that a hostile value or author cannot stall.
 */
import { format as formats, validate } from "@cfworker/json-schema";
import type { JsonObject } from "../protocol/json.js";
import { type Dialect, requireDialect } from "./dialects.js";
import { writeSafeSchema } from "./safe-schema.js";
import { readSchemaDocument, type SchemaLimits } from "./schema-document.js";
import { clip, type ValidationResult } from "./validation.js";
import { toIssues } from "./validator-output.js";

/** Compiles plain JSON Schema. What it is given keeps to the limits and has no reference out of the document. */
export interface JsonSchemaValidator {
  /** @throws SdkError `unusable-schema` */
  compile(schema: JsonObject): (value: unknown) => ValidationResult;
}

const drafts: Readonly<Record<Dialect, Parameters<typeof validate>[2]>> = {
  "2020-12": "2020-12",
  "2019-09": "2019-09",
  "draft-07": "7",
  "draft-04": "4",
};

const defaultMaxEvaluations = 250_000;

/** The validator used where none is given. It fails what it cannot judge within its limits. */
export function defaultJsonSchemaValidator(limits: SchemaLimits = {}): JsonSchemaValidator {
  const { maxEvaluations = defaultMaxEvaluations } = limits;
  return {
    compile(schema) {
      const dialect = requireDialect(schema);
      const safe = writeSafeSchema(readSchemaDocument(schema, limits), dialect);
      return (value) => {
        safe.meter.evaluationsLeft = maxEvaluations;
        // The library's table of formats is the one place where a test of ours can take part; it is left as it was.
        for (const [name, test] of safe.patterns) formats[name] = test;
        try {
          const { valid, errors } = validate(value, safe.root, drafts[dialect], safe.lookup);
          return valid ? { ok: true, value } : { ok: false, issues: toIssues(errors, safe, value) };
        } catch (thrown) {
          const reason = thrown instanceof Error ? thrown.message : String(thrown);
          return { ok: false, issues: [{ path: [], message: `cannot be validated: ${clip(reason)}` }] };
        } finally {
          for (const name of safe.patterns.keys()) delete formats[name];
        }
      };
    },
  };
}
