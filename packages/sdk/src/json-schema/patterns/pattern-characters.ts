/**
 * Character sets: the characters that one place in a pattern matches. Classes are parsed here, because the built-in engine
 * takes milliseconds to compile a class of Unicode properties.
 */

/** A range of code points, both ends included. */
interface CharacterRange {
  readonly from: number;
  readonly to: number;
}

/** The characters that an escape such as `\s` or `\p{…}` matches. */
interface EscapedSet {
  readonly text: string;
  readonly ascii: Uint32Array;
  readonly pattern: RegExp;
}

const ASCII_WORDS = 4;
const CLASS_MEMBER = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\.|./suy;
const ESCAPED_SET = /^\\[dDwWsSpP]/;
const ASCII_ONLY = /^\\[dw]$/;
const PROPERTY_ESCAPE = /^\\p/i;
const HEXADECIMAL = /^\\[ux]\{?([\da-f]+)\}?$/i;
const SURROGATE_PAIR = /^\\u([\da-f]{4})\\u([\da-f]{4})$/i;
const NO_LINE_END = String.raw`[^\n\r\u2028\u2029]`;
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["\\0", 0],
  ["\\b", 8],
  ["\\t", 9],
  ["\\n", 10],
  ["\\v", 11],
  ["\\f", 12],
  ["\\r", 13],
]);

/** The engine takes long to assemble the set of a property, so the sets are kept. */
const MAX_KNOWN_ESCAPES = 256;
const knownEscapes = new Map<string, EscapedSet>();

export class CharacterSet {
  /** The number of sets with many ranges that the built-in engine compiles for this set. */
  readonly nativeSize: number;
  readonly #isNegated: boolean;
  /** One bit for each character of ASCII. */
  readonly #ascii = new Uint32Array(ASCII_WORDS);
  /** Ranges that reach beyond ASCII. */
  readonly #ranges: CharacterRange[] = [];
  readonly #escapes: EscapedSet[] = [];

  /** @param atom a character, an escape, a class or a dot, out of a pattern that `RegExp` accepts */
  constructor(atom: string) {
    const text = atom === "." ? NO_LINE_END : atom;
    const isClass = text.length > 1 && text.startsWith("[");
    this.#isNegated = isClass && text.startsWith("[^");
    this.#addMembers(isClass ? tokensOf(text.slice(this.#isNegated ? 2 : 1, -1)) : [text]);
    if (this.#isNegated) for (let word = 0; word < ASCII_WORDS; word += 1) this.#ascii[word] = ~this.#wordAt(word);
    const hasProperty = this.#escapes.some((member) => PROPERTY_ESCAPE.test(member.text));
    const isLarge = this.#isNegated || this.#escapes.length > 0;
    this.nativeSize = hasProperty ? Number.POSITIVE_INFINITY : Number(isLarge);
  }

  /** Whether it may hold characters beyond ASCII. */
  get isWide(): boolean {
    return this.#isNegated || this.memberCount > 0;
  }

  /** The number of members that a character beyond ASCII is compared with. */
  get memberCount(): number {
    return this.#ranges.length + this.#escapes.length;
  }

  accepts(codePoint: number): boolean {
    if (codePoint < 128) return (this.#wordAt(codePoint >>> 5) & (1 << (codePoint & 31))) !== 0;
    return this.#hasWide(codePoint) !== this.#isNegated;
  }

  /** Whether no two of the sets can have a character in common. */
  static areDisjoint(sets: readonly CharacterSet[]): boolean {
    const seen = new Uint32Array(ASCII_WORDS);
    let wide = 0;
    for (const set of sets) {
      if (set.isWide) wide += 1;
      for (let word = 0; word < ASCII_WORDS; word += 1) {
        const members = set.#wordAt(word);
        if ((Number(seen[word]) & members) !== 0) return false;
        seen[word] = Number(seen[word]) | members;
      }
    }
    return wide <= 1;
  }

  #hasWide(codePoint: number): boolean {
    for (const { from, to } of this.#ranges) if (codePoint >= from && codePoint <= to) return true;
    if (this.#escapes.length === 0) return false;
    const character = String.fromCodePoint(codePoint);
    return this.#escapes.some(({ pattern }) => pattern.test(character));
  }

  #wordAt(word: number): number {
    return Number(this.#ascii[word]);
  }

  #addMembers(tokens: readonly string[]): void {
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index] as string; // the index is below the length
      if (ESCAPED_SET.test(token)) {
        this.#addEscape(escapeOf(token));
        continue;
      }
      const last = tokens[index + 1] === "-" ? tokens[index + 2] : undefined;
      if (last !== undefined) index += 2;
      this.#addRange(codePointOf(token), codePointOf(last ?? token));
    }
  }

  #addRange(from: number, to: number): void {
    for (let code = from; code <= Math.min(to, 127); code += 1) {
      this.#ascii[code >>> 5] = this.#wordAt(code >>> 5) | (1 << (code & 31));
    }
    if (to > 127) this.#ranges.push({ from, to });
  }

  #addEscape(member: EscapedSet): void {
    for (const [word, members] of member.ascii.entries()) this.#ascii[word] = this.#wordAt(word) | members;
    if (!ASCII_ONLY.test(member.text)) this.#escapes.push(member);
  }
}

function tokensOf(members: string): string[] {
  CLASS_MEMBER.lastIndex = 0;
  const tokens: string[] = [];
  for (let token = CLASS_MEMBER.exec(members); token !== null; token = CLASS_MEMBER.exec(members))
    tokens.push(token[0]);
  return tokens;
}

function escapeOf(text: string): EscapedSet {
  const known = knownEscapes.get(text);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${text}$`, "u");
  const ascii = new Uint32Array(ASCII_WORDS);
  for (let code = 0; code < 128; code += 1) {
    if (pattern.test(String.fromCharCode(code))) ascii[code >>> 5] = Number(ascii[code >>> 5]) | (1 << (code & 31));
  }
  const made = { text, ascii, pattern };
  if (knownEscapes.size < MAX_KNOWN_ESCAPES) knownEscapes.set(text, made);
  return made;
}

/** The code point of one character, which may be written as an escape. */
function codePointOf(token: string): number {
  if (!token.startsWith("\\") || token.length === 1) return Number(token.codePointAt(0));
  const control = CONTROLS.get(token);
  if (control !== undefined) return control;
  if (token.startsWith("\\c")) return token.charCodeAt(2) % 32;
  const [, high, low] = SURROGATE_PAIR.exec(token) ?? [];
  if (high !== undefined && low !== undefined) {
    return Number(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0));
  }
  const digits = HEXADECIMAL.exec(token)?.[1];
  return digits === undefined ? Number(token.codePointAt(1)) : Number.parseInt(digits, 16);
}
