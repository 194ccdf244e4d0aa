/** The outcome of validating a value, and how it is put into words. */
import { kindOf } from "./json-kind.js";

export interface ValidationIssue {
  /** Where in the value, from its root. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ValidationResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

const MAX_DESCRIBED_ISSUES = 10;
const MAX_DESCRIBED_LENGTH = 200;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * All issues in one line, each led by where it is: `arguments.env: expected string; arguments.tags[0]: required`.
 * Bounded, since paths and messages may quote what a peer sent.
 */
export function describeIssues(issues: readonly ValidationIssue[], root: string): string {
  const described = issues
    .slice(0, MAX_DESCRIBED_ISSUES)
    .map(({ path, message }) => `${describePath(path, root)}: ${clip(message)}`);
  const left = issues.length - described.length;
  if (left > 0) described.push(`and ${left} more`);
  return described.join("; ");
}

/** A text cut to a length fit for an error message. */
export function clip(text: string): string {
  return text.length > MAX_DESCRIBED_LENGTH ? `${text.slice(0, MAX_DESCRIBED_LENGTH)}…` : text;
}

/** A value fit for an error message. What an object from a peer makes of itself as text is anything, or an exception. */
export function shown(value: unknown): string {
  return typeof value === "object" ? kindOf(value) : clip(String(value));
}

/** Steps may be names of any length, and there may be many: nothing is written that would be cut off. */
function describePath(path: ValidationIssue["path"], root: string): string {
  let text = root;
  for (const step of path) {
    if (text.length > MAX_DESCRIBED_LENGTH) break;
    text += describeStep(typeof step === "number" ? step : step.slice(0, MAX_DESCRIBED_LENGTH + 1));
  }
  return clip(text);
}

function describeStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return PLAIN_NAME.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
