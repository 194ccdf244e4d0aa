/** Keywords for numbers: bounds and `multipleOf`. */
import { unusableAt } from "../unusable-schema-error.js";
import type { KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";
import { isMultipleOf } from "./multiple-of.js";

/** @throws UnusableSchemaError for bounds of another dialect */
export function numberChecks(source: KeywordSource): Check[] {
  const { minimum, maximum, multipleOf } = source.schema;
  const checks: Check[] = [];
  const add = (holds: (value: number, run: ValidationRun) => boolean, message: string) => {
    checks.push((value, run) => typeof value !== "number" || holds(value, run) || run.fail(message));
  };
  const above = exclusiveBound(source, "exclusiveMinimum", minimum);
  const below = exclusiveBound(source, "exclusiveMaximum", maximum);
  if (typeof minimum === "number") add((value) => value >= minimum, `expected at least ${minimum}`);
  if (typeof maximum === "number") add((value) => value <= maximum, `expected at most ${maximum}`);
  if (typeof above === "number") add((value) => value > above, `expected more than ${above}`);
  if (typeof below === "number") add((value) => value < below, `expected less than ${below}`);
  if (typeof multipleOf === "number") add(isMultipleOf(multipleOf), `expected a multiple of ${multipleOf}`);
  return checks;
}

/** In draft-04 `exclusiveMinimum` is a boolean that makes `minimum` exclusive; likewise for the maximum. */
function exclusiveBound({ schema, dialect, node }: KeywordSource, keyword: string, bound: unknown): unknown {
  const value = schema[keyword];
  if (typeof value !== "boolean") return value;
  if (dialect !== "draft-04") {
    throw unusableAt(node.pointer, `has a boolean "${keyword}", which is draft-04; expected a number`);
  }
  return value ? bound : undefined;
}
