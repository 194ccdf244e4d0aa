/** Holds docs/bounds.md complete: each growing collection of the SDK has a row, and each row names its proof. */
import { describe, expect, test } from "vitest";
import { requirements } from "../packages/requirements/src/index.js";
import { type BoundEvidence, type BoundRow, boundRows, boundViolations, declarationsIn, knownGaps } from "./bounds.js";
import { isTestFile, readSource, readTypeScript } from "./source-files.js";

const folder = "packages/sdk/src";

describe("docs/bounds.md", () => {
  const files = readTypeScript(folder);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const sources = files.filter(({ path }) => !isTestFile(path));
  const page = readSource("docs/bounds.md").text;
  const evidence: BoundEvidence = {
    declarations: declarationsIn(sources, folder),
    textOf: (path) => (isTestFile(path) ? texts.get(`${folder}/${path}`) : undefined),
    requirementIds: new Set(Object.keys(requirements)),
    knownGaps: knownGaps(page),
  };
  const rows = boundRows(page);

  test("has the collections to check", () => {
    expect(evidence.declarations.filter(({ isCollection }) => isCollection).length).toBeGreaterThan(100);
    expect(rows.length).toBeGreaterThan(100);
  });

  test("has a row for each collection, and a test for each bound", () => {
    expect(boundViolations(rows, evidence)).toEqual([]);
  });
});

describe("a growing collection", () => {
  const found = (text: string) =>
    declarationsIn([{ path: "src/a.ts", text }], "src")
      .filter(({ isCollection }) => isCollection)
      .map(({ name }) => name);

  test.each([
    "#a = new Map<string, number>();",
    "readonly #a = new Set<string>();",
    "readonly #a: Map<string, number>;",
    "#a: Promise<string[]> | undefined;",
    "readonly a: string[] = [];",
    "#a: readonly string[] = [];",
    "#a: ReadonlyMap<string, number> = NONE;",
    '#a = "";',
    "#a = new Uint8Array(0);",
    "#a: Buffer | undefined;",
    "readonly #a: Record<string, number> = {};",
  ])("is a class field: %s", (field) => {
    expect(found(`class C { ${field} }`)).toEqual([expect.stringMatching(/^C\.#?a$/)]);
  });

  test.each([
    "readonly #a: readonly string[];",
    "readonly #a: ReadonlySet<string> = new Set(OPTIONS);",
    'readonly #a = "";',
    "readonly #a = new Uint8Array(16);",
    "#a = 0;",
    "#a: (list: string[]) => void;",
  ])("is no class field that stays as it is: %s", (field) => {
    expect(found(`class C { ${field} }`)).toEqual([]);
  });

  test("is a variable of a module that the module changes", () => {
    expect(found("const a = new Map(); export function add() { a.set(1, 1); }")).toEqual(["a"]);
    expect(found("let a: string[] = []; function swap() { a = []; }")).toEqual(["a"]);
    expect(found("const a = new Map([[1, 1]]); a.get(1);")).toEqual([]);
  });

  test("is a variable of a function that outlives its turn", () => {
    expect(found("async function f() { const a = []; a.push(await g()); }")).toEqual(["f.a"]);
    expect(found("class C { m() { const a = []; on(() => a.push(1)); } }")).toEqual(["C.m.a"]);
    expect(found('async function f() { let a = ""; a += await g(); }')).toEqual(["f.a"]);
    expect(found("function f() { const a = []; a.push(1); return a; }")).toEqual([]);
    expect(found("function f() { const a = []; list.map((item) => a.push(item)); return a; }")).toEqual([]);
  });

  test("is a member of a type that is filled in place", () => {
    expect(
      found("interface I { readonly a: Map<string, number>; readonly b: readonly string[]; c?: string[] }"),
    ).toEqual(["I.a"]);
  });

  test("is whatever holds a generic class or an alias of one", () => {
    const queue = "class Queue<Item> { readonly #a = new Set<Item>(); }";
    expect(found(`${queue} class C { readonly #q: Queue<string>; }`)).toEqual(["Queue.#a", "C.#q"]);
    expect(found(`${queue} type Names = Queue<string>; class C { readonly names: Names; }`)).toEqual([
      "Queue.#a",
      "C.names",
    ]);
  });

  test("is looked for in files that parse", () => {
    expect(() => found("class {")).toThrow("src/a.ts");
  });
});

describe("a row", () => {
  const evidence: BoundEvidence = {
    declarations: [
      { path: "a.ts", name: "C.#a", isCollection: true },
      { path: "a.ts", name: "C.run", isCollection: false },
    ],
    textOf: (path) => (path === "a.test.ts" ? 'it("ends", () => {})' : undefined),
    requirementIds: new Set(["area:bound"]),
    knownGaps: [],
  };
  const row = '| `a.ts` | `C.#a` | author | 10 | none | none | `a.test.ts` "ends"; `area:bound` |';
  const complaints = (page: string) => boundViolations(boundRows(page), evidence);

  test("is read from a table of the page", () => {
    expect(boundRows(`# Bounds\n\n| file | field |\n|---|---|\n${row}\n`)).toEqual<BoundRow[]>([
      {
        path: "a.ts",
        name: "C.#a",
        filledBy: "author",
        items: "10",
        bytes: "none",
        time: "none",
        shownBy: '`a.test.ts` "ends"; `area:bound`',
      },
    ]);
    expect(complaints(row)).toEqual([]);
  });

  test("is needed for each collection, and once", () => {
    expect(complaints("")).toEqual(["a.ts C.#a holds a collection and has no row"]);
    expect(complaints(`${row}\n${row}`)).toEqual(["a.ts C.#a has two rows"]);
  });

  test("may be about any field or function that exists", () => {
    expect(complaints(`${row}\n${row.replace("C.#a", "C.run")}`)).toEqual([]);
    expect(complaints(`${row}\n${row.replace("C.#a", "C.#b")}`)).toEqual(["a.ts C.#b has a row and does not exist"]);
    expect(complaints(`${row}\n${row.replace("a.ts", "b.ts")}`)).toEqual(["b.ts C.#a has a row and does not exist"]);
  });

  test.each([
    ["author", "nobody", 'is filled by "nobody"'],
    ["10", "", "leaves a bound empty"],
    ["ends", "begins", 'names no test: a.test.ts "begins"'],
    ["a.test.ts", "b.test.ts", 'names no test: b.test.ts "ends"'],
    ["area:bound", "area:other", "names no requirement: area:other"],
    ['`a.test.ts` "ends"; `area:bound`', "—", "claims a bound and names no test"],
  ])("with %s changed to %s is refused", (before, after, complaint) => {
    expect(complaints(row.replace(before, after))).toEqual([`a.ts C.#a ${complaint}`]);
  });

  test.each(["peer", "both"])("of a collection filled by %s needs all bounds, or a known gap", (filledBy) => {
    const open = row.replace("author", filledBy);
    const gaps = knownGaps("- `a.ts` `C.#a`: a reason\n- `a.ts` `C.run`:\n");
    expect(complaints(open)).toEqual(["a.ts C.#a is filled by a peer and lacks a bound"]);
    expect(complaints(open.replaceAll("none", "1 s"))).toEqual([]);
    expect(gaps).toEqual(["a.ts C.#a"]);
    expect(boundViolations(boundRows(open), { ...evidence, knownGaps: gaps })).toEqual([]);
    expect(boundViolations(boundRows(row), { ...evidence, knownGaps: gaps })).toEqual([
      "a.ts C.#a is a known gap and no row of a peer lacks a bound",
    ]);
  });

  test("without any bound needs no test", () => {
    expect(complaints("| `a.ts` | `C.#a` | author | none | none | none | — |")).toEqual([]);
  });
});
