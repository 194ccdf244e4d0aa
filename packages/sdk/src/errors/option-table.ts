/**
 * Checks an options object against a table of its members, for authors without a type checker. A misspelled option would have no
 * effect: with `autorization`, a server would be open to everybody. Ranges of numbers are checked elsewhere.
 */
import { isJsonObject } from "../runtime/json.js";
import { SdkError } from "./sdk-error.js";

/** The kind of an option's value. `true` stands for any value; such an option is checked where it is used. */
export type OptionKind = "string" | "boolean" | "function" | "object" | "list" | true;

interface KindCheck {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const KINDS: Readonly<Record<Exclude<OptionKind, true>, KindCheck>> = {
  string: { expected: "a string", accepts: (value) => typeof value === "string" },
  boolean: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  function: { expected: "a function", accepts: (value) => typeof value === "function" },
  object: { expected: "an object", accepts: isJsonObject },
  list: { expected: "a list", accepts: Array.isArray },
};

const NONE_MISPLACED: ReadonlyMap<string, string> = new Map();

type OptionName<Options> = Options extends unknown ? keyof Options : never;

/** The members of an options type. The type checker refuses a table that lacks one. */
export type OptionTable<Options> = Readonly<Record<OptionName<Options>, OptionKind>>;

/**
 * Checks the names and the kinds of options.
 * @param owner names the options in error messages, such as `serveHttp`
 * @param misplaced options of something else, with the place where they belong
 * @throws {SdkError} `invalid-argument`
 */
export function checkOptions<Options extends object>(
  owner: string,
  options: Options,
  table: OptionTable<Options>,
  misplaced: ReadonlyMap<string, string> = NONE_MISPLACED,
): void {
  const kinds: Readonly<Record<string, OptionKind>> = table;
  const names = Object.keys(kinds);
  if (!isJsonObject(options)) {
    throw invalid(`${owner}: expected an object with some of ${names.join(", ")}, got ${describeKind(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name)) {
      throw invalid(`${owner}: there is no option "${name}"; ${misplaced.get(name) ?? advice(name, names)}`);
    }
    checkKind(`${owner}: ${name}`, value, kinds[name]);
  }
}

/** Checks one value, unless it is undefined. @throws {SdkError} `invalid-argument` */
export function checkKind(owner: string, value: unknown, kind: OptionKind = true): void {
  if (value === undefined || kind === true) return;
  const { expected, accepts } = KINDS[kind];
  if (!accepts(value)) throw invalid(`${owner}: expected ${expected}, got ${describeKind(value)}`);
}

/** Names a value in an error message. Quotes texts, numbers and names of functions only. */
export function describeKind(value: unknown): string {
  if (typeof value === "string") return `the string ${JSON.stringify(value)}`;
  if (typeof value === "function") return `the function ${value.name || "without a name"}`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return value === undefined ? "nothing" : String(value);
}

function advice(given: string, names: readonly string[]): string {
  const meant = nearestNames(given.toLowerCase(), names);
  if (meant.length === 0) return `expected some of ${names.join(", ")}`;
  return `did you mean ${meant.map((name) => `"${name}"`).join(" or ")}?`;
}

/** The names with the fewest differing letters, up to a third of their letters; else the names that the text abbreviates. */
function nearestNames(given: string, names: readonly string[]): readonly string[] {
  const near = names
    .map((name) => ({ name, distance: editDistance(given, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= name.length / 3);
  const least = Math.min(...near.map(({ distance }) => distance));
  if (near.length > 0) return near.filter(({ distance }) => distance === least).map(({ name }) => name);
  return given.length < 3 ? [] : names.filter((name) => name.toLowerCase().startsWith(given));
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  let left = to.length;
  for (const [index, letter] of [...from].entries()) {
    left = index + 1;
    const next = [left];
    for (const [column, other] of [...to].entries()) {
      const [diagonal = 0, above = 0] = row.slice(column, column + 2);
      left = Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1));
      next.push(left);
    }
    row = next;
  }
  return left;
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
