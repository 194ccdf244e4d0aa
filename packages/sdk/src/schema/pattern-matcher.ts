/**
 * Matches regular expressions without the exponential backtracking of the built-in engine: no state is tried twice at
 * one position, so time grows with the length of the string times the size of the pattern, and a budget caps even that.
 */
import { type Instruction, writeProgram } from "./pattern-program.js";
import { type Assertion, parsePattern } from "./pattern-syntax.js";

const maxPatternLength = 4096;
/** Well under a fifth of a second. */
const maxSteps = 2 ** 23;

/**
 * A test for whether a pattern occurs in a string.
 * @returns `undefined` for back references, look-behind, and patterns over the size limits
 * @throws SyntaxError for what is no regular expression; the test throws RangeError when its budget runs out
 */
export function compilePattern(pattern: string): ((text: string) => boolean) | undefined {
  new RegExp(pattern, "u");
  const node = pattern.length > maxPatternLength ? undefined : parsePattern(pattern);
  const program = node && writeProgram(node);
  return program && ((text) => new Run(program, text).search());
}

class Run {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  #steps = 0;
  readonly #lookaheads = new Map<number, boolean>();

  constructor(program: readonly Instruction[], text: string) {
    this.#program = program;
    this.#text = text;
  }

  search(): boolean {
    const tried = this.#nothingTried();
    for (let from = 0; from <= this.#text.length; from += this.#widthAt(from)) {
      if (this.#matchesAt(0, from, tried)) return true;
    }
    return false;
  }

  /** `tried` holds what is known to lead nowhere. */
  #matchesAt(instruction: number, position: number, tried: Uint32Array): boolean {
    const pending = [instruction, position];
    while (pending.length > 0) {
      const at = Number(pending.pop());
      const index = Number(pending.pop());
      const state = at * this.#program.length + index;
      const bit = 1 << (state & 31);
      const word = tried[state >>> 5] as number; // there is a bit for every state
      if ((word & bit) !== 0) continue;
      tried[state >>> 5] = word | bit;
      this.#spend(1);
      const step = this.#program[index];
      switch (step?.kind) {
        case "character":
          if (at < this.#text.length && step.accepts(this.#codePointAt(at)))
            pending.push(index + 1, at + this.#widthAt(at));
          break;
        case "assertion":
          if (this.#holds(step.assertion, at)) pending.push(index + 1, at);
          break;
        case "lookahead":
          if (this.#looksAhead(index + 1, at) !== step.isNegative) pending.push(step.after, at);
          break;
        case "split":
          pending.push(step.other, at, index + 1, at);
          break;
        case "jump":
          pending.push(step.to, at);
          break;
        default:
          return true;
      }
    }
    return false;
  }

  #looksAhead(body: number, position: number): boolean {
    const key = position * this.#program.length + body;
    const known = this.#lookaheads.get(key);
    if (known !== undefined) return known;
    const result = this.#matchesAt(body, position, this.#nothingTried());
    this.#lookaheads.set(key, result);
    return result;
  }

  #holds(assertion: Assertion, at: number): boolean {
    if (assertion === "start") return at === 0;
    if (assertion === "end") return at === this.#text.length;
    const isBoundary = isWordCharacter(this.#text[at - 1]) !== isWordCharacter(this.#text[at]);
    return isBoundary === (assertion === "boundary");
  }

  #nothingTried(): Uint32Array {
    const words = Math.ceil(((this.#text.length + 1) * this.#program.length) / 32);
    this.#spend(words);
    return new Uint32Array(words);
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new RangeError("The string is too long for its pattern");
  }

  #codePointAt(at: number): number {
    return Number(this.#text.codePointAt(at));
  }

  #widthAt(at: number): number {
    return this.#codePointAt(at) > 0xffff ? 2 : 1;
  }
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
