/** Compiles every `@example` of the public surface against the built package. */
import { beforeAll, describe, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { compileModules } from "./compile-modules.js";
import { type DocExample, examplesOf, moduleOf } from "./doc-examples.js";
import { isTestFile, readTypeScript } from "./source-files.js";

const sources = readTypeScript("packages/sdk/src").filter((file) => !isTestFile(file.path));

describe("the examples in doc comments", () => {
  beforeAll(requireFreshBuild);

  test("are there, and compile", () => {
    const examples = sources.flatMap(examplesOf);
    expect(examples.length).toBeGreaterThan(5);
    expect(compile("doc-examples", examples)).toBe("");
  });

  test("a complaint names the line in the source", () => {
    const example = { path: "some/file.ts", line: 10, code: "server.tool(1);" };
    expect(compile("doc-examples-red", [example])).toMatch(/^some\/file\.ts:11: error TS/);
  });
});

function compile(name: string, examples: readonly DocExample[]): string {
  const modules = examples.map((example) => {
    const { text, linesBefore } = moduleOf(example);
    const module = `${example.path.replaceAll("/", "-")}-${example.line}.ts`;
    return { module, text, path: example.path, line: example.line - linesBefore };
  });
  return compileModules(name, modules).complaints;
}

describe("finding examples", () => {
  const find = (text: string) => examplesOf({ path: "a.ts", text });

  test("takes each up to the next tag or the end of the comment", () => {
    const text = [
      "/**",
      " * A thing.",
      " *",
      " * @example",
      " * if (a) {",
      " *   b();",
      " * }",
      " * @throws never",
      " */",
      "  /**",
      "   * @example",
      "   * c();",
      "   */",
    ].join("\n");
    expect(find(text)).toEqual([
      { path: "a.ts", line: 4, code: "if (a) {\n  b();\n}" },
      { path: "a.ts", line: 11, code: "c();" },
    ]);
  });

  test("a plain comment and a string hold none", () => {
    expect(find("/* @example\n a(); */ const text = `/** \n@example\na();*/`;")).toEqual([]);
  });
});
