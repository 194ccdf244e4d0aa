/**
 * One validation under way: the steps it may still take, how deep it is, and, on a second pass over a value that
 * failed, what is wrong and where. Knows no keyword.
 */
import type { SchemaResource } from "../schema-node.js";
import { kindOf } from "./json-kind.js";
import type { Report } from "./report.js";

/** Whether a value satisfies a schema or one of its keywords. */
export type Check = (value: unknown, run: Run) => boolean;

/** How deep schemas may apply in each other: two for each of the 512 levels of the wire, for which the stack has room. */
const maxNesting = 1024;

/** The schema resources entered on the way to where a run is. */
export interface DynamicScope {
  readonly resource: SchemaResource;
  readonly outer: DynamicScope | undefined;
}

export class Run {
  /** Absent where a verdict is enough; then the first failure ends a check. */
  report: Report | undefined;
  /** Kept only for schemas whose references depend on it. */
  scope: DynamicScope | undefined = undefined;
  #stepsLeft: number;
  #nesting = 0;

  constructor(maxSteps: number, report?: Report) {
    this.#stepsLeft = maxSteps;
    this.report = report;
  }

  /** @throws RangeError when the budget is spent */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new RangeError("the value and its schema take too many steps");
  }

  /** @throws RangeError where checks nest too deep */
  enter(): void {
    this.#nesting += 1;
    if (this.#nesting > maxNesting) throw new RangeError("the value and its schema nest too deep");
  }

  leave(): void {
    this.#nesting -= 1;
  }

  /** Applies a check to the member or item at `step`. */
  at(step: string | number, part: unknown, check: Check): boolean {
    const { report } = this;
    if (report === undefined) return check(part, this);
    report.path.push(step);
    const holds = check(part, this);
    report.path.pop();
    return holds;
  }

  /** Whether a check holds, without a word on why it does not. */
  isHeld(check: Check, value: unknown): boolean {
    const { report } = this;
    this.report = undefined;
    const holds = check(value, this);
    this.report = report;
    return holds;
  }

  /** Notes what is wrong, if anyone asked. */
  fail(message: string): false {
    this.report?.add(message);
    if (this.report?.isFull === true) this.report = undefined;
    return false;
  }

  failKind(expected: string, value: unknown): false {
    return this.report === undefined ? false : this.fail(`expected ${expected}, got ${kindOf(value)}`);
  }
}
