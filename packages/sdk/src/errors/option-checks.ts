/**
 * Checks values of options at run time, for authors without a type checker: missing secrets, numbers that are none, and objects
 * without their methods. All of them throw `invalid-argument` with the name of the option, the expected value and the given one.
 */
import { isJsonObject } from "../runtime/json.js";
import { MAX_TIMER_MS } from "../runtime/timers.js";
import type { RateLimit } from "../runtime/token-bucket.js";
import { describeKind } from "./option-table.js";
import { SdkError } from "./sdk-error.js";

/** Values that an unset environment variable may become in a template or in JSON. */
const UNSET: readonly unknown[] = [undefined, null, "", "undefined", "null"];

/** @throws {SdkError} `invalid-argument` for a value that is missing, empty, too short, or the text "undefined" or "null" */
export function checkText(name: string, value: unknown, minChars = 1): void {
  if (UNSET.includes(value)) throw invalid(`${name}: got ${JSON.stringify(value)}; is its environment variable set?`);
  if (typeof value !== "string") throw invalid(`${name}: expected a string, got ${typeof value}`);
  if (value.length >= minChars) return;
  throw invalid(`${name}: expected at least ${minChars} characters, got ${value.length}`);
}

/** @throws {SdkError} `invalid-argument` for a limit that is no number from 1; `Infinity` is one. */
export function checkLimit(name: string, value: unknown): void {
  checkNumber(name, value, 1);
}

/** @throws {SdkError} `invalid-argument` for a value that is no number from `least`; `Infinity` is one. */
export function checkNumber(name: string, value: unknown, least: number): void {
  if (isNumber(value, least)) return;
  throw notExpected(name, `a number from ${least}`, value);
}

/** @throws {SdkError} `invalid-argument` for a value that is no whole number in the range. */
export function checkWholeNumber(
  name: string,
  value: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isInteger(value) && isNumber(value, least, most)) return;
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  throw notExpected(name, `a whole number from ${least}${range}`, value);
}

/** @throws {SdkError} `invalid-argument` for a value that is no positive number; `Infinity` is one. */
export function checkDuration(name: string, ms: unknown): void {
  if (isNumber(ms, Number.MIN_VALUE)) return;
  throw notExpected(name, "a positive number of milliseconds or Infinity", ms);
}

/** A hundred years: with it, the end of a lifetime is still a valid date. */
const MAX_LIFETIME_MS = 3_155_760_000_000;

/** Checks a lifetime, whose end is stored as a date. @throws {SdkError} `invalid-argument` */
export function checkLifetime(name: string, ms: unknown, leastMs = 1): void {
  checkMilliseconds(name, ms, leastMs, MAX_LIFETIME_MS);
}

/** Checks the delay of a timer. @throws {SdkError} `invalid-argument` */
export function checkTimer(name: string, ms: unknown): void {
  checkMilliseconds(name, ms, 1, MAX_TIMER_MS);
}

function checkMilliseconds(name: string, ms: unknown, leastMs: number, mostMs: number): void {
  if (isNumber(ms, leastMs, mostMs)) return;
  throw notExpected(name, `milliseconds from ${leastMs} to ${mostMs}`, ms);
}

/** @throws {SdkError} `invalid-argument` for a rate whose numbers are not finite, or that allows no call at all */
export function checkRate(name: string, rate: RateLimit, advice = ""): void {
  const { perSecond, burst }: Partial<RateLimit> = rate ?? {};
  if (isNumber(perSecond, Number.EPSILON, Number.MAX_VALUE) && isNumber(burst, 1, Number.MAX_VALUE)) return;
  const given = `{ perSecond: ${String(perSecond)}, burst: ${String(burst)} }`;
  throw invalid(`${name}: expected perSecond above 0 and burst from 1, got ${given}${advice}`);
}

/** @throws {SdkError} `invalid-argument` for a value that is not one of the choices */
export function checkChoice(name: string, value: unknown, choices: readonly (string | boolean)[]): void {
  if (choices.some((choice) => choice === value)) return;
  const texts = choices.map((choice) => JSON.stringify(choice));
  const expected = [...texts.slice(0, -2), texts.slice(-2).join(" or ")].join(", ");
  throw invalid(`${name}: expected ${expected}, got ${describeKind(value)}`);
}

/**
 * Checks an object by its methods. A promise is one that the author forgot to await.
 * @param expected names the object, such as "a CacheStore"
 * @throws {SdkError} `invalid-argument` for a promise, and for a value without one of the methods
 */
export function checkMethods(name: string, value: unknown, expected: string, methods: readonly string[]): void {
  if (value instanceof Promise) throw invalid(`${name}: expected ${expected}, got a promise; await it`);
  const members: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {};
  const missing = methods.find((method) => typeof members[method] !== "function");
  if (missing === undefined) return;
  const got = isJsonObject(value) ? `an object without the method ${missing}` : describeKind(value);
  throw invalid(`${name}: expected ${expected}, got ${got}`);
}

function isNumber(value: unknown, least: number, most = Number.POSITIVE_INFINITY): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

function notExpected(name: string, expected: string, value: unknown): SdkError {
  return invalid(`${name}: expected ${expected}, got ${describeValue(value)}`);
}

/** Says what to do about the values that plain JavaScript passes by mistake. */
function describeValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `the string ${JSON.stringify(value)}; convert it with Number()`;
  return value === null ? "null; leave the option out for its default" : `a value of type ${typeof value}`;
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
