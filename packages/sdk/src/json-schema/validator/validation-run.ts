/**
 * One validation under way: the steps it may still take, how deep it is, and, on a second pass over a value that
 * failed, what is wrong and where. Knows no keyword.
 */
import { type Budget, PER_STEP, STEPS, WorkBudget } from "../../runtime/work-budget.js";
import type { SchemaResource } from "../document/schema-node.js";
import { kindOf } from "../json-kind.js";
import type { IssueReport } from "./issue-report.js";

/** Whether a value satisfies a schema or one of its keywords. */
export type Check = (value: unknown, run: ValidationRun) => boolean;

/** How deep schemas may apply in each other: two for each of the 512 levels of the wire, for which the stack has room. */
export const MAX_NESTING = 1024;

/** The schema resources entered on the way to where a run is. */
export interface DynamicScope {
  readonly resource: SchemaResource;
  readonly outer: DynamicScope | undefined;
}

/** The error for a value, or a schema, that nests too deep to be checked. */
export function nestsTooDeep(): Error {
  return new RangeError("the value and its schema nest too deep");
}

function tooManySteps(limit: number): Error {
  return new RangeError(
    `it takes more than the limit of ${limit} steps; make the value smaller, or raise schemaLimits.maxEvaluations`,
  );
}

export class ValidationRun implements Budget {
  /** Absent where a verdict is enough; then the first failure ends a check. */
  report: IssueReport | undefined;
  /** Kept only for schemas whose references depend on it. */
  scope: DynamicScope | undefined = undefined;
  /** Held, not inherited from: V8 takes longer to make an object of a derived class. */
  readonly #budget: WorkBudget;
  #nesting = 0;

  constructor(maxSteps: number, report?: IssueReport) {
    this.#budget = new WorkBudget(maxSteps, tooManySteps);
    this.report = report;
  }

  spend(steps: number): void {
    this.#budget.spend(steps);
  }

  spendOn(amount: number, perStep: number): void {
    this.#budget.spendOn(amount, perStep);
  }

  /** @throws RangeError where checks nest too deep */
  enter(): void {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw nestsTooDeep();
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
    const { report } = this;
    if (report === undefined) return false;
    this.spend(STEPS.reportedIssue);
    this.spendOn(report.path.length * (report.issues.length + 1), PER_STEP.comparedPathSteps);
    report.add(message);
    if (report.isFull) this.report = undefined;
    return false;
  }

  failKind(expected: string, value: unknown): false {
    return this.report === undefined ? false : this.fail(`expected ${expected}, got ${kindOf(value)}`);
  }
}
