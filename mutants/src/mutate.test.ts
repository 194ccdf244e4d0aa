import { describe, expect, test } from "vitest";
import { mutantsOf } from "./mutate.js";

const changes = (text: string) => mutantsOf("a.ts", text).map(({ change }) => change);

describe("mutants", () => {
  test.each([
    ["a < b;", ["< → <="]],
    ["a >= b;", [">= → >"]],
    ["a === b;", ["=== → !=="]],
    ["a && b;", ["&& → ||"]],
    ["a ?? b;", ["a ?? b → a"]],
    ["!a;", ["!a → a"]],
    ["a ? b : c;", ["a → true", "a → false"]],
    ["if (a) b;", ["a → true", "a → false"]],
    ["f(a);", ["f(a); → ;"]],
    ["a = true;", ["a = true; → ;", "true → false"]],
    ["a -= 7;", ["a -= 7; → ;", "7 → 8"]],
  ])("of %s", (text, expected) => {
    expect(changes(text)).toEqual(expected);
  });

  test("have none in types, imports and texts", () => {
    const text = [
      'import { a } from "a";',
      "interface A { readonly size: 1 }",
      "type B = true | 2;",
      'function f(a: 3): 4 { return g("text", `text`); }',
    ].join("\n");
    expect(changes(text)).toEqual([]);
  });

  test("tell where they are, and are the whole file with one change", () => {
    const text = "const a = 1;\n  if (a < 2) f();\n";
    expect(mutantsOf("a.ts", text)[3]).toEqual({
      file: "a.ts",
      line: 2,
      source: "if (a < 2) f();",
      change: "< → <=",
      text: "const a = 1;\n  if (a <= 2) f();\n",
      index: 3,
    });
  });
});
