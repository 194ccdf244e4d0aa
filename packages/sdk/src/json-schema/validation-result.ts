/** The result of validating a value, and its description for error messages. */
import { kindOf } from "./json-kind.js";

/** One part of a value that does not match its schema. */
export interface ValidationIssue {
  /** The path from the root of the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The outcome of a validation: the value, or its issues. */
export type ValidationResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

const MAX_DESCRIBED_ISSUES = 10;
const MAX_DESCRIBED_LENGTH = 200;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * All issues in one line, each after its path: `arguments.env: expected string; arguments.tags[0]: required`.
 * The text is bounded, because paths and messages quote values of a peer.
 */
export function describeIssues(issues: readonly ValidationIssue[], root: string): string {
  const described = issues
    .slice(0, MAX_DESCRIBED_ISSUES)
    .map(({ path, message }) => `${describePath(path, root)}: ${clip(message)}`);
  const left = issues.length - described.length;
  if (left > 0) described.push(`and ${left} more`);
  return described.join("; ");
}

/** A text cut to the length that an error message may have. */
export function clip(text: string): string {
  return text.length > MAX_DESCRIBED_LENGTH ? `${text.slice(0, MAX_DESCRIBED_LENGTH)}…` : text;
}

/** A value for an error message. Objects are named by their type, because `toString` of a peer's object may throw. */
export function shown(value: unknown): string {
  return typeof value === "object" ? kindOf(value) : clip(String(value));
}

/** Stops at the maximum length: a peer decides the number and the length of the steps. */
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
