/** The outcome of validating a value, and how it is put into words. */
import { kindOf } from "./validator/json-kind.js";

export interface Issue {
  /** Where in the value, from its root. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ValidationResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const maxDescribedIssues = 10;
const maxDescribedLength = 200;
const plainName = /^[A-Za-z_$][\w$]*$/;

/**
 * All issues in one line, each led by where it is: `arguments.env: expected string; arguments.tags[0]: required`.
 * Bounded, since paths and messages may quote what a peer sent.
 */
export function describeIssues(issues: readonly Issue[], root: string): string {
  const described = issues
    .slice(0, maxDescribedIssues)
    .map(({ path, message }) => `${describePath(path, root)}: ${clip(message)}`);
  const left = issues.length - described.length;
  if (left > 0) described.push(`and ${left} more`);
  return described.join("; ");
}

/** A text cut to a length fit for an error message. */
export function clip(text: string): string {
  return text.length > maxDescribedLength ? `${text.slice(0, maxDescribedLength)}…` : text;
}

/** A value fit for an error message. What an object from a peer makes of itself as text is anything, or an exception. */
export function shown(value: unknown): string {
  return typeof value === "object" ? kindOf(value) : clip(String(value));
}

/** Steps may be names of any length, and there may be many: nothing is written that would be cut off. */
function describePath(path: Issue["path"], root: string): string {
  let text = root;
  for (const step of path) {
    if (text.length > maxDescribedLength) break;
    text += describeStep(typeof step === "number" ? step : step.slice(0, maxDescribedLength + 1));
  }
  return clip(text);
}

function describeStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return plainName.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
