/**
 * Matches regular expressions without exponential backtracking. The built-in engine runs patterns that are known to take
 * linear time. A matcher of its own runs all others, and tries no state twice at one position: time grows with the length of
 * the text times the size of the pattern. The caller's budget pays for both.
 */
import { type Budget, PER_STEP, STEPS } from "../../runtime/work-budget.js";
import { CharacterSet } from "./pattern-characters.js";
import { type Instruction, writeProgram } from "./pattern-program.js";
import { nativeSize, nativeWeight } from "./pattern-safety.js";
import { type Assertion, parsePattern } from "./pattern-syntax.js";

/** Also the longest text that the format `regex` is checked for. */
export const MAX_PATTERN_LENGTH = 4096;
/** The built-in engine takes more than linear time to compile a pattern. */
const MAX_NATIVE_LENGTH = 512;
const PATTERN_STEPS_PER_MEMBER = PER_STEP.patternSteps / PER_STEP.classMembers;
/** Steps are paid in groups, because paying takes longer than a step. */
const STEPS_PER_SPENDING = 16;
const WORD_CHARACTERS = new CharacterSet("\\w");
const PROPERTY_ESCAPE = /\\p\{/gi;

/** Whether a pattern occurs in a text. @throws the error of the budget */
export type PatternTest = (text: string, budget: Budget) => boolean;

/**
 * @returns `undefined` for back references, look-behind, and patterns over the size limits
 * @throws SyntaxError for an invalid regular expression, or the error of the budget
 */
export function compilePattern(pattern: string, budget: Budget): PatternTest | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const native = parseNative(pattern, budget);
  const node = parsePattern(pattern, budget);
  if (node === undefined) return undefined;
  const size = pattern.length > MAX_NATIVE_LENGTH ? undefined : nativeSize(node);
  const weight = size === undefined ? undefined : nativeWeight(node);
  if (size !== undefined && weight !== undefined) {
    budget.spend(STEPS.nativePattern + pattern.length * STEPS.nativeCharacter + size * STEPS.nativeWideSet);
    return nativeTest(native, weight);
  }
  const program = writeProgram(node);
  if (program === undefined) return undefined;
  budget.spend(program.length * STEPS.patternCharacter);
  return ownTest(program);
}

/**
 * Parses a pattern with the built-in engine, which compiles a pattern only when it runs it.
 * @throws SyntaxError for an invalid regular expression, or the error of the budget
 */
export function parseNative(pattern: string, budget: Budget): RegExp {
  const properties = pattern.match(PROPERTY_ESCAPE)?.length ?? 0;
  budget.spend(pattern.length * STEPS.patternCharacter + properties * STEPS.propertyEscape);
  return new RegExp(pattern, "u");
}

function nativeTest(native: RegExp, weight: number): PatternTest {
  return (text, budget) => {
    budget.spend(STEPS.nativeTest);
    budget.spendOn(text.length * weight, PER_STEP.nativeSteps);
    return native.test(text);
  };
}

/** A test that runs a program with the matcher of this file. */
export function ownTest(program: readonly Instruction[]): PatternTest {
  return (text, budget) => new Search(program, text, budget).run();
}

class Search {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  readonly #budget: Budget;
  /** Steps that are not paid for yet. */
  #unspentSteps = 0;
  #lookaheads: Map<number, boolean> | undefined;

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

  /** `tried` holds the states that are known to fail. */
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
          if (at < this.#text.length && this.#accepts(step.set, this.#codePointAt(at)))
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

  #spend(steps: number): void {
    this.#unspentSteps += steps;
    if (this.#unspentSteps < STEPS_PER_SPENDING) return;
    this.#budget.spendOn(this.#unspentSteps, PER_STEP.patternSteps);
    this.#unspentSteps = 0;
  }

  #accepts(set: CharacterSet, codePoint: number): boolean {
    if (codePoint > 127) this.#spend(set.memberCount * PATTERN_STEPS_PER_MEMBER);
    return set.accepts(codePoint);
  }

  #looksAhead(body: number, position: number): boolean {
    const key = position * this.#program.length + body;
    this.#lookaheads ??= new Map();
    const known = this.#lookaheads.get(key);
    if (known !== undefined) return known;
    const result = this.#matchesAt(body, position, this.#nothingTried());
    this.#lookaheads.set(key, result);
    return result;
  }

  #holds(assertion: Assertion, at: number): boolean {
    if (assertion === "start") return at === 0;
    if (assertion === "end") return at === this.#text.length;
    const isBoundary =
      WORD_CHARACTERS.accepts(this.#text.charCodeAt(at - 1)) !== WORD_CHARACTERS.accepts(this.#text.charCodeAt(at));
    return isBoundary === (assertion === "boundary");
  }

  #nothingTried(): Uint32Array {
    const words = Math.ceil(((this.#text.length + 1) * this.#program.length) / 32);
    this.#budget.spend(STEPS.patternTest);
    this.#budget.spendOn(words, PER_STEP.patternMemory);
    return new Uint32Array(words);
  }

  #codePointAt(at: number): number {
    return Number(this.#text.codePointAt(at));
  }

  #widthAt(at: number): number {
    return this.#codePointAt(at) > 0xffff ? 2 : 1;
  }
}
