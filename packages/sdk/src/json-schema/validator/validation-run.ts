/**
 * The state of one validation: the budget, the nesting, the dynamic scope and, on the second pass over a value that failed,
 * the report of its issues.
 */
import { type Budget, PER_STEP, STEPS, WorkBudget } from "../../runtime/work-budget.js";
import type { SchemaResource } from "../document/schema-node.js";
import { kindOf } from "../json-kind.js";
import type { ValidationIssue } from "../validation-result.js";

/** Whether a value satisfies a schema or one of its keywords. */
export type Check = (value: unknown, run: ValidationRun) => boolean;

/** Levels of nested schema applications: two for each of the 512 levels of a message. The stack has room for them. */
const MAX_NESTING = 1024;

/** Issues in one report. A value may fail in every one of its parts. */
const MAX_ISSUES = 100;

/** The schema resources that the run has entered. */
export interface DynamicScope {
  readonly resource: SchemaResource;
  readonly outer: DynamicScope | undefined;
}

/** The error for a value or a schema that is nested too deep. */
function nestsTooDeep(): Error {
  return new RangeError("the value and its schema nest too deep");
}

function tooManySteps(limit: number): Error {
  return new RangeError(
    `it takes more than the limit of ${limit} steps; make the value smaller, or raise schemaLimits.maxEvaluations`,
  );
}

export class ValidationRun implements Budget {
  /** Absent on the first pass, which stops at the first failure. */
  report: IssueReport | undefined;
  /** Maintained only for documents with dynamic references. */
  scope: DynamicScope | undefined = undefined;
  /** A field in place of a base class: V8 constructs objects of derived classes more slowly. */
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

  /** Runs a check without reporting its issues. */
  isHeld(check: Check, value: unknown): boolean {
    const { report } = this;
    this.report = undefined;
    const holds = check(value, this);
    this.report = report;
    return holds;
  }

  /** Adds an issue to the report, if there is one. */
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

/** The issues of one validation, and the path of the part that is being checked. */
export class IssueReport {
  readonly path: (string | number)[] = [];
  readonly issues: ValidationIssue[] = [];
  #added = 0;

  get isFull(): boolean {
    return this.#added === MAX_ISSUES;
  }

  /** Adds an issue. Two keywords may find the same issue, which is kept once. */
  add(message: string): void {
    this.#added += 1;
    const isKnown = this.issues.some((issue) => issue.message === message && isSamePath(issue.path, this.path));
    if (!isKnown) this.issues.push({ path: [...this.path], message });
  }
}

function isSamePath(one: ValidationIssue["path"], other: ValidationIssue["path"]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
