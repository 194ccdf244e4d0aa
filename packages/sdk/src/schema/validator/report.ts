/** What is wrong with a value, as it is found. */
import type { Issue } from "../validation.js";

/** A value may fail in every one of its parts; nobody reads that many. */
const maxIssues = 100;

export class Report {
  /** Where in the value the check is. */
  readonly path: (string | number)[] = [];
  readonly issues: Issue[] = [];
  #added = 0;

  get isFull(): boolean {
    return this.#added === maxIssues;
  }

  /** Several keywords may find the same fault; it is kept once. */
  add(message: string): void {
    this.#added += 1;
    const isKnown = this.issues.some((issue) => issue.message === message && isSamePath(issue.path, this.path));
    if (!isKnown) this.issues.push({ path: [...this.path], message });
  }
}

function isSamePath(one: Issue["path"], other: Issue["path"]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
