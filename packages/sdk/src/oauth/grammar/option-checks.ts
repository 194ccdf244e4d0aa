/** Checks options at run time, for authors without a type checker: misspelled names, missing secrets and impossible durations. */
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

/** The longest delay of a timer. Timers overflow beyond 31 bits and would fire at once. */
export const MAX_TIMER_MS = 0x7fff_ffff;
/** A hundred years: with it, the end of a lifetime is still a valid date. */
const MAX_LIFETIME_MS = 3_155_760_000_000;

/** @throws {SdkError} `invalid-argument` for a value that is no number, `NaN`, infinite, or outside of the range */
export function checkMilliseconds(
  name: string,
  value: unknown,
  { fromMs = 1, toMs = MAX_LIFETIME_MS }: { readonly fromMs?: number; readonly toMs?: number } = {},
): void {
  if (typeof value === "number" && value >= fromMs && value <= toMs) return;
  throw invalid(`${name}: expected milliseconds from ${fromMs} to ${toMs}, got ${value}`);
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
