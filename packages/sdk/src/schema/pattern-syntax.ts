/**
 * Parses the regular expressions of JSON Schema, which are JavaScript's in Unicode mode.
 * Expects one that `RegExp` accepts; `pattern-matcher.ts` runs the result.
 */

export type Assertion = "start" | "end" | "boundary" | "inside";

export type PatternNode =
  | { readonly kind: "character"; readonly set: CharacterSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "lookahead"; readonly body: PatternNode; readonly isNegative: boolean }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

const atom =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\.|./suy;
const quantifier = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy;
const groupOpening = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/uy;
const backReference = /^\\[k1-9]/;
/** A character, an escape or a class of them, all of whose members can be seen to be ASCII. */
const plainAtom = /^(?:\[(?!\^)(?:\\[dwtnrfv\W]|[^\\])*\]|\\[dwtnrfv\W]|[^.\\[])$/;
const asciiText = /^\p{ASCII}*$/u;
const assertions: ReadonlyMap<string, Assertion> = new Map([
  ["^", "start"],
  ["$", "end"],
  ["\\b", "boundary"],
  ["\\B", "inside"],
]);

/** @returns `undefined` for back references, look-behind and inline flags, which the matcher cannot run */
export function parsePattern(source: string): PatternNode | undefined {
  const parser = new PatternParser(source);
  const root = parser.choice();
  return parser.isSupported ? root : undefined;
}

class PatternParser {
  isSupported = true;
  readonly #source: string;
  #at = 0;
  readonly #characters = new Map<string, PatternNode>();

  constructor(source: string) {
    this.#source = source;
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
    const opening = this.#take(groupOpening);
    const body = opening === undefined ? this.#atom() : this.#group(opening[0]);
    const repeated = this.#take(quantifier);
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
    // What is left of an opening not in the list is a question mark: flags for a part of the pattern.
    const isUnknown = opening === "(" && this.#source[this.#at] === "?";
    if (isUnknown || opening === "(?<=" || opening === "(?<!") return this.#giveUp();
    const body = this.choice();
    this.#at += 1;
    if (opening !== "(?=" && opening !== "(?!") return body;
    return { kind: "lookahead", body, isNegative: opening === "(?!" };
  }

  #atom(): PatternNode {
    const text = String(this.#take(atom));
    const assertion = assertions.get(text);
    if (assertion !== undefined) return { kind: "assertion", assertion };
    if (backReference.test(text)) return this.#giveUp();
    const known = this.#characters.get(text);
    if (known !== undefined) return known;
    const character: PatternNode = { kind: "character", set: new CharacterSet(text) };
    this.#characters.set(text, character);
    return character;
  }

  #giveUp(): PatternNode {
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

/**
 * The characters that one place in a pattern stands for. One character against one atom is nothing the built-in engine
 * could stall on, so classes are left to it.
 */
export class CharacterSet {
  readonly #atom: RegExp;
  readonly #mayExceedAscii: boolean;
  #ascii: readonly boolean[] | undefined;

  constructor(atomText: string) {
    this.#atom = new RegExp(`^(?:${atomText})$`, "u");
    this.#mayExceedAscii = !(plainAtom.test(atomText) && asciiText.test(atomText));
  }

  accepts(codePoint: number): boolean {
    return this.#asciiMembers()[codePoint] ?? this.#atom.test(String.fromCodePoint(codePoint));
  }

  /** Whether two sets may have a character in common. */
  overlaps(other: CharacterSet): boolean {
    if (this.#mayExceedAscii && other.#mayExceedAscii) return true;
    const members = other.#asciiMembers();
    return this.#asciiMembers().some((isIn, code) => isIn && members[code]);
  }

  #asciiMembers(): readonly boolean[] {
    this.#ascii ??= Array.from({ length: 128 }, (_, code) => this.#atom.test(String.fromCharCode(code)));
    return this.#ascii;
  }
}
