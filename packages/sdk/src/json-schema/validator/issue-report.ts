/** What is wrong with a value, as it is found. */
import type { ValidationIssue } from "../validation-result.js";

/** A value may fail in every one of its parts; nobody reads that many. */
const MAX_ISSUES = 100;

export class IssueReport {
  /** Where in the value the check is. */
  readonly path: (string | number)[] = [];
  readonly issues: ValidationIssue[] = [];
  #added = 0;

  get isFull(): boolean {
    return this.#added === MAX_ISSUES;
  }

  /** Several keywords may find the same fault; it is kept once. */
  add(message: string): void {
    this.#added += 1;
    const isKnown = this.issues.some((issue) => issue.message === message && isSamePath(issue.path, this.path));
    if (!isKnown) this.issues.push({ path: [...this.path], message });
  }
}

function isSamePath(one: ValidationIssue["path"], other: ValidationIssue["path"]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
