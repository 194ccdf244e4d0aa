/** What the test files declare. Usually they run; while collecting they are only written down. */

export interface Declaration {
  readonly ids: readonly string[];
  readonly sentence: string;
  readonly isDiverging: boolean;
}

let collected: Declaration[] | undefined;

/** Writes the declaration down and returns true if somebody is collecting. */
export function collectDeclaration(declaration: Declaration): boolean {
  collected?.push(declaration);
  return collected !== undefined;
}

/** Loads test files without running them and returns what they declare. */
export async function collectDeclarations(load: () => Promise<unknown>): Promise<Declaration[]> {
  const mine: Declaration[] = [];
  collected = mine;
  try {
    await load();
  } finally {
    collected = undefined;
  }
  return mine;
}
