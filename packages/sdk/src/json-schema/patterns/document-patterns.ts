/** The patterns of one schema document, each compiled once. */
import type { Budget } from "../../runtime/work-budget.js";
import type { SchemaNode } from "../document/schema-node.js";
import { unusableAt } from "../unusable-schema-error.js";
import { clip } from "../validation-result.js";
import { compilePattern, type PatternTest } from "./pattern-matcher.js";

export class DocumentPatterns {
  readonly #tests = new Map<string, PatternTest>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** @throws UnusableSchemaError for an invalid or unsafe pattern, or the error of the budget */
  test(pattern: string, { pointer }: SchemaNode): PatternTest {
    const known = this.#tests.get(pattern);
    if (known !== undefined) return known;
    const test = this.#compile(pattern, pointer);
    this.#tests.set(pattern, test);
    return test;
  }

  #compile(pattern: string, pointer: string): PatternTest {
    let test: PatternTest | undefined;
    try {
      test = compilePattern(pattern, this.#budget);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw unusableAt(pointer, `has a pattern that is no regular expression: ${clip(pattern)}`);
    }
    if (test !== undefined) return test;
    throw unusableAt(
      pointer,
      `has a pattern that is too large or uses back references or look-behind: ${clip(pattern)}`,
    );
  }
}
