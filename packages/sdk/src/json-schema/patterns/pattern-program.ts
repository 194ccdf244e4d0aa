/** Turns a parsed regular expression into a flat program for `pattern-matcher.ts`, counted repetitions written out. */
import type { CharacterSet } from "./pattern-characters.js";
import type { Assertion, PatternNode } from "./pattern-syntax.js";

export type Instruction =
  | { readonly kind: "character"; readonly set: CharacterSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  /** The body follows. Continues at `after` if the body matches here; if negative, if it does not match. */
  | { readonly kind: "lookahead"; readonly isNegative: boolean; after: number }
  /** Continues both at the next instruction and at `other`. */
  | { readonly kind: "split"; other: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "match" };

/** Parts of a program, repetitions included: `(a{1000}){1000}` is a short text for a million parts. */
const MAX_PARTS = 10_000;

/** @returns `undefined` for a pattern over the size limit */
export function writeProgram(node: PatternNode): readonly Instruction[] | undefined {
  const writer = new ProgramWriter();
  writer.write(node);
  writer.program.push({ kind: "match" });
  return writer.isTooLarge ? undefined : writer.program;
}

class ProgramWriter {
  readonly program: Instruction[] = [];
  #parts = 0;

  get isTooLarge(): boolean {
    return this.#parts > MAX_PARTS;
  }

  write(node: PatternNode): void {
    this.#parts += 1;
    if (this.isTooLarge) return;
    switch (node.kind) {
      case "character":
      case "assertion":
        this.program.push(node);
        break;
      case "sequence":
        for (const part of node.parts) this.write(part);
        break;
      case "lookahead":
        this.#lookahead(node.body, node.isNegative);
        break;
      case "choice":
        this.#choice(node.options);
        break;
      case "repeat":
        this.#repeat(node.body, node.min, node.max);
        break;
    }
  }

  #lookahead(body: PatternNode, isNegative: boolean): void {
    const look = { kind: "lookahead" as const, isNegative, after: 0 };
    this.program.push(look);
    this.write(body);
    look.after = this.program.push({ kind: "match" });
  }

  #choice(options: readonly PatternNode[]): void {
    const ends: { to: number }[] = [];
    for (const [index, option] of options.entries()) {
      if (index === options.length - 1) {
        this.write(option);
        break;
      }
      const split = this.#push({ kind: "split" as const, other: 0 });
      this.write(option);
      ends.push(this.#push({ kind: "jump" as const, to: 0 }));
      split.other = this.program.length;
    }
    for (const end of ends) end.to = this.program.length;
  }

  #repeat(body: PatternNode, min: number, max: number): void {
    for (let round = 0; round < min && !this.isTooLarge; round += 1) this.write(body);
    if (max === Number.POSITIVE_INFINITY) {
      const start = this.program.length;
      const exit = this.#push({ kind: "split" as const, other: 0 });
      this.write(body);
      this.program.push({ kind: "jump", to: start });
      exit.other = this.program.length;
      return;
    }
    const exits: { other: number }[] = [];
    for (let round = min; round < max && !this.isTooLarge; round += 1) {
      exits.push(this.#push({ kind: "split" as const, other: 0 }));
      this.write(body);
    }
    for (const exit of exits) exit.other = this.program.length;
  }

  #push<I extends Instruction>(instruction: I): I {
    this.program.push(instruction);
    return instruction;
  }
}
