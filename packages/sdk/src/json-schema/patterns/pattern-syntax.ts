/**
 * Parses the regular expressions of JSON Schema, which are JavaScript's in Unicode mode.
 * Expects one that `RegExp` accepts; `pattern-matcher.ts` runs the result.
 */
import { type Budget, STEPS } from "../../runtime/work-budget.js";
import { CharacterSet } from "./pattern-characters.js";

export type Assertion = "start" | "end" | "boundary" | "inside";

export type PatternNode =
  | { readonly kind: "character"; readonly set: CharacterSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "lookahead"; readonly body: PatternNode; readonly isNegative: boolean }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

const ATOM =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\.|./suy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy;
const GROUP_OPENING = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/uy;
const BACK_REFERENCE = /^\\[k1-9]/;
const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ["^", "start"],
  ["$", "end"],
  ["\\b", "boundary"],
  ["\\B", "inside"],
]);

/** Levels of nested groups. The parser recurses. */
const MAX_GROUP_DEPTH = 100;

/**
 * @returns `undefined` for back references, look-behind and inline flags, which the matcher cannot run, and for groups
 *   that nest too deep
 * @throws the error of the budget
 */
export function parsePattern(source: string, budget: Budget): PatternNode | undefined {
  const parser = new PatternParser(source, budget);
  const root = parser.choice();
  return parser.isSupported ? root : undefined;
}

class PatternParser {
  isSupported = true;
  readonly #source: string;
  readonly #budget: Budget;
  #at = 0;
  #depth = 0;
  readonly #characters = new Map<string, PatternNode>();

  constructor(source: string, budget: Budget) {
    this.#source = source;
    this.#budget = budget;
  }

  choice(): PatternNode {
    const first = this.#sequence();
    if (this.#source[this.#at] !== "|") return first;
    const options = [first];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) parts.push(this.#term());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts };
  }

  #term(): PatternNode {
    const opening = this.#take(GROUP_OPENING);
    const body = opening === undefined ? this.#atom() : this.#group(opening[0]);
    const repeated = this.#take(QUANTIFIER);
    if (repeated === undefined) return body;
    const [text, low, comma, high] = repeated;
    let min = text.startsWith("+") ? 1 : 0;
    let max = text.startsWith("?") ? 1 : Number.POSITIVE_INFINITY;
    if (low !== undefined) {
      min = Number(low);
      if (comma === "") max = min;
      else if (high) max = Number(high);
    }
    return { kind: "repeat", body, min, max };
  }

  #group(opening: string): PatternNode {
    // Any other opening that starts with "(?" sets flags for a part of the pattern.
    const isUnknown = opening === "(" && this.#source[this.#at] === "?";
    if (isUnknown || opening === "(?<=" || opening === "(?<!" || this.#depth === MAX_GROUP_DEPTH)
      return this.#unsupported();
    this.#depth += 1;
    const body = this.choice();
    this.#depth -= 1;
    this.#at += 1;
    if (opening !== "(?=" && opening !== "(?!") return body;
    return { kind: "lookahead", body, isNegative: opening === "(?!" };
  }

  #atom(): PatternNode {
    const text = String(this.#take(ATOM));
    const assertion = ASSERTIONS.get(text);
    if (assertion !== undefined) return { kind: "assertion", assertion };
    if (BACK_REFERENCE.test(text)) return this.#unsupported();
    const known = this.#characters.get(text);
    if (known !== undefined) return known;
    this.#budget.spend(STEPS.patternClass);
    const character: PatternNode = { kind: "character", set: new CharacterSet(text) };
    this.#characters.set(text, character);
    return character;
  }

  #unsupported(): PatternNode {
    this.isSupported = false;
    this.#at = this.#source.length;
    return { kind: "sequence", parts: [] };
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at;
    const taken = token.exec(this.#source);
    if (taken === null) return undefined;
    this.#at = token.lastIndex;
    return taken;
  }
}
