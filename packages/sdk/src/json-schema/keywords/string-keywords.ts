/** Keywords for strings: lengths, `pattern` and `format`. */
import { PER_STEP, STEPS } from "../../runtime/work-budget.js";
import { FORMATS } from "../formats/formats.js";
import { clip } from "../validation-result.js";
import type { KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";

/** @throws UnusableSchemaError for a pattern that cannot be run safely */
export function stringChecks(source: KeywordSource): Check[] {
  const { minLength, maxLength, pattern, format } = source.schema;
  const checks: Check[] = [];
  const add = (holds: (value: string, run: ValidationRun) => boolean, message: string) => {
    checks.push((value, run) => typeof value !== "string" || holds(value, run) || run.fail(message));
  };
  if (typeof minLength === "number") {
    // A character takes one or two units, so most strings need no count.
    add(
      (value, run) => value.length >= minLength && (value.length >= minLength * 2 || countOf(value, run) >= minLength),
      `expected at least ${minLength} characters`,
    );
  }
  if (typeof maxLength === "number") {
    add(
      (value, run) => value.length <= maxLength || (value.length <= maxLength * 2 && countOf(value, run) <= maxLength),
      `expected at most ${maxLength} characters`,
    );
  }
  if (typeof pattern === "string") {
    add(source.pattern(pattern), `expected to match the pattern ${clip(pattern)}`);
  }
  const isFormat = typeof format === "string" ? FORMATS.get(format) : undefined;
  if (isFormat !== undefined) {
    add((value, run) => {
      run.spend(STEPS.formatTest);
      run.spendOn(value.length, PER_STEP.formatCharacters);
      return isFormat(value, run);
    }, `expected the format ${format}`);
  }
  return checks;
}

/** The number of code points. */
function countOf(text: string, run: ValidationRun): number {
  run.spendOn(text.length, PER_STEP.countedCharacters);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (Number(text.codePointAt(at)) > 0xffff) at += 1;
    count += 1;
  }
  return count;
}
