/**
 * Matches regular expressions without the exponential backtracking of the built-in engine, which runs only what it
 * cannot stall on. Elsewhere no state is tried twice at one position, so time grows with the length of the string times
 * the size of the pattern; the caller's budget caps even that.
 */

import { type Instruction, writeProgram } from "./pattern-program.js";
import { nativeWeight } from "./pattern-safety.js";
import { type Assertion, parsePattern } from "./pattern-syntax.js";

const maxPatternLength = 4096;
/** What one unit of the caller's budget buys. */
const nativeStepsPerUnit = 32;
const ownStepsPerUnit = 8;

/** What pays for matching. */
export interface Budget {
  /** @throws RangeError when nothing is left */
  spend(units: number): void;
}

/** Whether a pattern occurs in a text. */
export type PatternTest = (text: string, budget: Budget) => boolean;

export interface CompiledPattern {
  readonly test: PatternTest;
  /** How much there was to compile, and is to keep. */
  readonly size: number;
}

/**
 * @returns `undefined` for back references, look-behind, and patterns over the size limits
 * @throws SyntaxError for what is no regular expression
 */
export function compilePattern(pattern: string): CompiledPattern | undefined {
  const native = new RegExp(pattern, "u");
  const node = pattern.length > maxPatternLength ? undefined : parsePattern(pattern);
  if (node === undefined) return undefined;
  const weight = nativeWeight(node);
  if (weight !== undefined) return { test: nativeTest(native, weight), size: pattern.length };
  const program = writeProgram(node);
  return program && { test: ownTest(program), size: pattern.length + program.length };
}

function nativeTest(native: RegExp, weight: number): PatternTest {
  return (text, budget) => {
    budget.spend(Math.floor((text.length * weight) / nativeStepsPerUnit));
    return native.test(text);
  };
}

/** A test that runs a program by itself. */
export function ownTest(program: readonly Instruction[]): PatternTest {
  return (text, budget) => new Search(program, text, budget).run();
}

class Search {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  readonly #budget: Budget;
  #steps = 0;
  readonly #lookaheads = new Map<number, boolean>();

  constructor(program: readonly Instruction[], text: string, budget: Budget) {
    this.#program = program;
    this.#text = text;
    this.#budget = budget;
  }

  run(): boolean {
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
      this.#steps += 1;
      if (this.#steps % ownStepsPerUnit === 0) this.#budget.spend(1);
      const step = this.#program[index];
      switch (step?.kind) {
        case "character":
          if (at < this.#text.length && step.set.accepts(this.#codePointAt(at)))
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
    this.#budget.spend(Math.floor(words / ownStepsPerUnit));
    return new Uint32Array(words);
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
