/** Every limit and duration that can be set has a row with its default in docs/security.md, and no row is left over. */
import { describe, expect, test } from "vitest";
import { surfaceOf } from "./entry-surface.js";
import { isLimit, type NumericOption, publishedOptions, tableRows } from "./limits.js";
import { entrySource, publishedEntries, readManifest } from "./package-manifest.js";
import { isTestFile, readSource, readTypeScript, type SourceFile } from "./source-files.js";

const ROOT = "packages/sdk/src";
const described = ({ name, defaultValue }: NumericOption) => `${name} = ${defaultValue}`;

function optionsOfThePackage(): NumericOption[] {
  const entries = publishedEntries(readManifest("packages/sdk"));
  const types = entries.flatMap((entry) => surfaceOf(readSource(entrySource(entry))).types);
  // Types of the wire are no options.
  const files = readTypeScript(ROOT).filter(({ path }) => !isTestFile(path) && !path.startsWith(`${ROOT}/protocol/`));
  return publishedOptions(files, new Set(types));
}

describe("the table of limits", () => {
  const options = optionsOfThePackage();
  const rows = tableRows(readSource("docs/security.md"), "Limits").map(described);

  test("is read", () => {
    expect(options.filter(isLimit).length).toBeGreaterThan(50);
    expect(rows.length).toBeGreaterThan(50);
  });

  test("has a row for every limit, with the default of its doc comment", () => {
    const missing = options.filter(isLimit).map(described);
    expect(missing.filter((option) => !rows.includes(option))).toEqual([]);
  });

  test("names only options that exist, with the defaults that they have", () => {
    const known = options.map(described);
    expect(rows.filter((row) => !known.includes(row))).toEqual([]);
  });

  test("has no option twice", () => {
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });

  test("is complete only if every limit has a default", () => {
    expect(
      options.filter((option) => isLimit(option) && option.defaultValue === undefined).map(({ name }) => name),
    ).toEqual([]);
  });
});

describe("reading options", () => {
  const file = (text: string): SourceFile => ({ path: "a.ts", text });
  const read = (text: string, ...published: string[]) =>
    publishedOptions([file(text)], new Set(published)).map(described);

  test("takes the numbers among the optional properties of a published type", () => {
    const text = `export interface A {
      /** Items. @defaultValue 5 */
      readonly maxItems?: number | undefined;
      /**
       * Time.
       * @defaultValue 1_000
       */
      waitMs?: number;
      /** Name. @defaultValue "a" */
      name?: string;
      required: number;
    }`;
    expect(read(text, "A")).toEqual(["A.maxItems = 5", "A.waitMs = 1_000"]);
    expect(read(text, "B")).toEqual([]);
  });

  test("follows what a type extends or intersects", () => {
    const text = `export interface A { /** @defaultValue 1 */ maxA?: number }
      export interface B extends A { /** @defaultValue 2 */ maxB?: number }
      export type C = B & ({ /** @defaultValue 3 */ maxC?: number } | { port: number });`;
    expect(read(text, "C").sort()).toEqual(["A.maxA = 1", "B.maxB = 2", "C.maxC = 3"]);
  });

  test("says where a default is missing", () => {
    expect(read("export interface A { maxItems?: number }", "A")).toEqual(["A.maxItems = undefined"]);
  });

  test.each([
    ["A.max", true],
    ["A.maxItems", true],
    ["A.waitMs", true],
    ["A.maximal", false],
    ["A.port", false],
  ])("%s is a limit by its name: %s", (name, expected) => {
    expect(isLimit({ name, defaultValue: "1" })).toBe(expected);
  });

  test("takes rows of one section, several options in one of them", () => {
    const text = [
      "# Page",
      "## Limits",
      "| option | default |",
      "|---|---|",
      "| `A.max`, `B.max` | `1_024` (1 KiB) |",
      "| `A.waitMs` | none |",
      "",
      "## Else",
      "| `C.max` | 1 |",
    ].join("\n");
    expect(tableRows(file(text), "Limits").map(described)).toEqual([
      "A.max = 1_024",
      "B.max = 1_024",
      "A.waitMs = none",
    ]);
  });
});
