/** Names of tests: the cell, the requirements and the sentence, in one line. */

export interface TestName {
  /** By `cellName`. */
  readonly cell: string;
  readonly ids: readonly string[];
  readonly sentence: string;
}

export function formatTestName({ cell, ids, sentence }: TestName): string {
  return `[${cell}] ${ids.join(", ")}: ${sentence}`;
}

/** Undefined for a test that no `verifies` declared. Ids contain no blanks, so the first colon before one ends them. */
export function parseTestName(name: string): TestName | undefined {
  const [, cell, ids, sentence] = /^\[([^\]]+)\] (\S+(?:, \S+)*?): (.*)$/s.exec(name) ?? [];
  if (cell === undefined || ids === undefined || sentence === undefined) return undefined;
  return { cell, ids: ids.split(", "), sentence };
}
