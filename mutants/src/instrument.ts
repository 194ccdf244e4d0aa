/** Source text that records which of its mutants the running tests reach: a mark per mutant, in a global table. */
import { editsOfFile, type Site } from "./mutate.js";

/** The global that holds a `Uint8Array` per instrumented file: 1 where a test has reached the mutant of this index. */
export const MARKS = "__parleyMarks";

export type Marks = Record<string, Uint8Array>;

const OPENING: Readonly<Record<Site["form"], (index: number) => string>> = {
  expression: (index) => `(__m[${index}] = 1, `,
  key: (index) => `[(__m[${index}] = 1, `,
  statement: (index) => `{ __m[${index}] = 1; `,
  whenTrue: (index) => `__t(${index}, `,
  whenFalse: (index) => `__f(${index}, `,
};
const CLOSING: Readonly<Record<Site["form"], string>> = {
  expression: ")",
  key: ")]",
  statement: " }",
  whenTrue: ")",
  whenFalse: ")",
};

export function instrument(file: string, text: string): string {
  const sites = editsOfFile(text).map(({ site }, index) => ({ ...site, index }));
  // An outer site comes before the inner ones, so it opens first and closes last.
  const insertions = [
    ...sites.map(({ end, form, index }) => ({ at: end, rank: -index - 1, code: CLOSING[form] })),
    ...sites.map(({ start, form, index }) => ({ at: start, rank: index, code: OPENING[form](index) })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank);
  const marks = `((globalThis.${MARKS} ??= {})[${JSON.stringify(file)}] ??= new Uint8Array(${sites.length}))`;
  let result = `var __m = ${marks}, __t = (i, v) => (v && (__m[i] = 1), v), __f = (i, v) => (v || (__m[i] = 1), v); `;
  let last = 0;
  for (const { at, code } of insertions) {
    result += text.slice(last, at) + code;
    last = at;
  }
  return result + text.slice(last);
}
