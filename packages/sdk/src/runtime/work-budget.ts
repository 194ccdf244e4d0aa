/**
 * The work budget: a limit on the steps that a peer's input may cause, and the price list of the steps. A loop whose length
 * a peer decides spends from a budget before it runs. Steps, not time: the result is the same on every machine.
 */

/**
 * Steps for one unit of work. Measured with warm code on an AMD EPYC core, a step takes at most 0.2 to 0.35 µs.
 * `npm run fuzz` searches for inputs that take longer than their price.
 */
export const STEPS = {
  /** Apply one subschema to one value. */
  appliedSchema: 1,
  /** Visit one member of an object, after listing its name. */
  visitedMember: 1,
  /** Add one value to a set, or sort it into one. */
  addedValue: 1,
  /** Write one value as canonical JSON. */
  writtenValue: 1,
  /** Write the braces of one object. The price covers names that no other object has. */
  writtenObject: 3,
  /** Begin to check one `format`. */
  formatTest: 4,
  /** Divide decimals of several hundred digits. */
  longDivision: 32,
  /** Begin to match one pattern with the built-in engine. */
  nativeTest: 1,
  /** Begin to match one pattern with the engine of this package, or to look ahead in it. */
  patternTest: 6,
  /** Record one issue. */
  reportedIssue: 1,
  /** Read one member of a schema. */
  readMember: 2,
  /** Find one subschema and its place. */
  readSchema: 4,
  /** Compile one subschema. */
  compiledSchema: 8,
  /** Record the members and items that one subschema evaluates, for `unevaluatedProperties` and `unevaluatedItems`. */
  coveredSchema: 16,
  /** Resolve one reference. */
  resolvedReference: 4,
  /** Resolve one identifier or reference that is more than a fragment, with the URL parser. */
  resolvedUri: 20,
  /** Parse one character of a pattern, or write one instruction for it. */
  patternCharacter: 2,
  /** Build one character class. */
  patternClass: 4,
  /** Parse one `\p{…}`. The engine builds a set of characters for each. */
  propertyEscape: 800,
  /** Hand one pattern to the built-in engine. */
  nativePattern: 150,
  /** Compile one character of a pattern with the built-in engine. */
  nativeCharacter: 10,
  /** Compile a set of characters beyond ASCII with the built-in engine. */
  nativeWideSet: 400,
} as const;

/** Units of work that one step pays for. */
export const PER_STEP = {
  /** Look up one name in an object. */
  soughtMembers: 2,
  /** Ask one alternative of `anyOf` or `oneOf` for its types. */
  comparedTypes: 4,
  /** Compare one character of two strings. */
  comparedCharacters: 256,
  /** Hash one character of a string. */
  hashedCharacters: 128,
  /** Compare two names of an object that are sorted, apart from their characters. */
  comparedNames: 2,
  /** Write one character as canonical JSON. */
  writtenCharacters: 32,
  /** Check one character for a `format`. */
  formatCharacters: 8,
  /** Count one code point. */
  countedCharacters: 32,
  /** Walk over one schema resource in the dynamic scope. */
  passedResources: 4,
  /** One step of the built-in engine. */
  nativeSteps: 32,
  /** One step of the engine of this package. */
  patternSteps: 5,
  /** Allocate the memory of one text position for 32 instructions. */
  patternMemory: 8,
  /** Compare one character beyond ASCII with one member of a character class. */
  classMembers: 1,
  /** Compare one step of the paths of two issues. */
  comparedPathSteps: 32,
  /** Read one item of a list in a schema. */
  readItems: 2,
  /** Read one character of a string in a schema. */
  readCharacters: 256,
  /** Resolve one character of an identifier or a reference. */
  resolvedCharacters: 8,
} as const;

/** Pays for work. */
export interface Budget {
  /**
   * Pays for whole steps.
   * @throws the error of the budget when fewer are left
   */
  spend(steps: number): void;
  /**
   * Pays for work that is cheaper than a step. Fractions of a step are free.
   * @throws the error of the budget when too few steps are left
   */
  spendOn(amount: number, perStep: number): void;
}

export class WorkBudget implements Budget {
  readonly #limit: number;
  readonly #exceeded: (limit: number) => Error;
  #left: number;

  /** @param exceeded makes the error for a spent budget */
  constructor(limit: number, exceeded: (limit: number) => Error) {
    this.#limit = limit;
    this.#exceeded = exceeded;
    this.#left = limit;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#exceeded(this.#limit);
  }

  spendOn(amount: number, perStep: number): void {
    if (amount >= perStep) this.spend(Math.floor(amount / perStep));
  }
}

/** A budget without a limit, for work whose input is bounded elsewhere. */
export const UNLIMITED: Budget = { spend: () => undefined, spendOn: () => undefined };
