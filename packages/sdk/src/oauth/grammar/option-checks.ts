/** Checks options at run time, for authors without a type checker: misspelled names and missing secrets. */
import { SdkError } from "../../errors/sdk-error.js";

/**
 * Refuses unknown options, since a misspelled option would have no effect.
 * @throws {SdkError} `invalid-argument`
 */
export function checkOptionNames<Options extends object>(
  what: string,
  options: Options,
  known: Readonly<Record<keyof Options, true>>,
): void {
  const names = Object.keys(known);
  if (typeof options !== "object" || options === null) {
    throw invalid(`${what}: expected an object with some of ${names.join(", ")}, got ${typeof options}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw invalid(`${what}: there is no option ${JSON.stringify(unknown)}; expected some of ${names.join(", ")}`);
}

/** Values that an unset environment variable may become in a template or in JSON. */
const UNSET: readonly unknown[] = [undefined, null, "", "undefined", "null"];

/** @throws {SdkError} `invalid-argument` for a value that is missing, empty, too short, or the text "undefined" or "null" */
export function checkText(name: string, value: unknown, minChars = 1): void {
  if (UNSET.includes(value)) throw invalid(`${name}: got ${JSON.stringify(value)}; is its environment variable set?`);
  if (typeof value !== "string") throw invalid(`${name}: expected a string, got ${typeof value}`);
  if (value.length >= minChars) return;
  throw invalid(`${name}: expected at least ${minChars} characters, got ${value.length}`);
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
