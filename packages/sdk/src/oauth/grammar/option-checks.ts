/** Checks of what authors pass. Plain JavaScript has no compiler that finds a misspelled option or a missing secret. */
import { SdkError } from "../../errors/sdk-error.js";

/**
 * Refuses options that do not exist: one that is misspelled would silently do nothing.
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

/** What an unset environment variable becomes. */
const UNSET: readonly unknown[] = [undefined, null, "", "undefined", "null"];

/** @throws {SdkError} `invalid-argument` for what is missing, empty, or the name of a missing value */
export function checkText(name: string, value: unknown, minChars = 1): void {
  if (UNSET.includes(value)) throw invalid(`${name}: got ${JSON.stringify(value)}; is its environment variable set?`);
  if (typeof value !== "string") throw invalid(`${name}: expected a string, got ${typeof value}`);
  if (value.length >= minChars) return;
  throw invalid(`${name}: expected at least ${minChars} characters, got ${value.length}`);
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
