/** Shows each rule of the architecture red on small made-up files, and green where it should be. */
import { describe, expect, test } from "vitest";
import {
  cycleViolations,
  type LayerRules,
  layerViolations,
  nameViolations,
  outsiderViolations,
  portabilityViolations,
  sealViolations,
  sizeViolations,
  suppressionViolations,
} from "./architecture.js";
import { importsOf } from "./imports.js";
import type { SourceFile } from "./source-files.js";

const file = (path: string, text: string): SourceFile => ({ path, text });

describe("finding imports", () => {
  test.each([
    { text: `import { a } from "x";`, isTypeOnly: false },
    { text: `import "x";`, isTypeOnly: false },
    { text: `import * as a from "x";`, isTypeOnly: false },
    { text: `import a, { type B } from "x";`, isTypeOnly: false },
    { text: `import {\n  a, // from "y"\n} from "x";`, isTypeOnly: false },
    { text: `import type { A } from "x";`, isTypeOnly: true },
    { text: `import { type A, type B } from "x";`, isTypeOnly: true },
    { text: `export { a } from "x";`, isTypeOnly: false },
    { text: `export * from "x";`, isTypeOnly: false },
    { text: `export * as a from "x";`, isTypeOnly: false },
    { text: `export type { A } from "x";`, isTypeOnly: true },
    { text: `export type * from "x";`, isTypeOnly: true },
    { text: `const a = await import("x");`, isTypeOnly: false },
    { text: `function f() { return import('x'); }`, isTypeOnly: false },
    { text: `let a: import("x").A;`, isTypeOnly: true },
    { text: `let a: typeof import("x");`, isTypeOnly: true },
  ])("$text", ({ text, isTypeOnly }) => {
    expect(importsOf(file("a.ts", text))).toEqual([{ specifier: "x", isTypeOnly }]);
  });

  test("text that only looks like an import is none", () => {
    const text = "// import 'x'\nconst a = `import { b } from 'x'`;\nexport { a };\nexport const c = 'from \"x\"';";
    expect(importsOf(file("a.ts", text))).toEqual([]);
  });

  test("a module named at run time and text that does not parse are refused", () => {
    expect(() => importsOf(file("a.ts", "await import(name);"))).toThrow("a.ts: import() of an expression");
    expect(() => importsOf(file("a.ts", "import { from"))).toThrow("a.ts: ");
  });

  test("a test may load what it lists", () => {
    expect(importsOf(file("a.test.ts", "await import(name);"))).toEqual([]);
  });
});

describe("sealed folders", () => {
  test("are imported by their index.ts only, from outside", () => {
    const files = [
      file("src/low/inside.ts", 'import "./deep/other.js";'),
      file("src/top/by-the-door.ts", 'import "../low/index.js";'),
      file("src/top/elsewhere.ts", 'import "../lower/a.js"; import "pkg";'),
      file("src/top/by-the-window.ts", 'import type { A } from "../low/deep/other.js";'),
    ];
    expect(sealViolations(files, "src", ["low"])).toEqual([
      "src/top/by-the-window.ts imports ../low/deep/other.js: use low/index.ts, the only door of low",
    ]);
  });
});

describe("layers", () => {
  const rules: LayerRules = {
    root: "src",
    layers: [["low"], ["left", "right"], ["top"], ["split/one", "split/two"]],
    dependencies: ["pkg", "@scope/pkg"],
    testDependencies: ["vitest"],
    nodeFolders: ["top", "left/node"],
    ownImports: new Map([["#platform", "src/left/platform.ts"]]),
  };
  const check = (path: string, text: string) => layerViolations([file(path, text)], rules);

  test.each([
    ["its own folder", "src/left/a.ts", `import "./b.js";`],
    ["a row above", "src/top/a.ts", `import { b } from "../low/b.js";`],
    ["a row above a folder of a folder", "src/split/one/a.ts", `import "../../top/b.js";`],
    ["a folder inside its own", "src/left/inner/a.ts", `import "../b.js";`],
    ["a declared dependency", "src/low/a.ts", `import "pkg"; import "pkg/sub"; import type {} from "@scope/pkg/sub";`],
    ["Node where Node is allowed", "src/top/a.ts", `import "node:fs";`],
    ["Node in a folder of a portable layer", "src/left/node/a.ts", `import "node:fs";`],
    ["its own import", "src/top/a.ts", `import "#platform";`],
    ["tools in a test", "src/low/a.test.ts", `import "vitest"; import "node:fs";`],
    ["tools in a contract suite", "src/low/low-contract.ts", `import "vitest";`],
  ])("%s is allowed", (_, path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  test.each([
    ["a row below", "src/low/a.ts", `import "../left/b.js";`, "low may import only what is above it"],
    ["a row below, types only", "src/low/a.ts", `import type { B } from "../top/b.js";`, "(low) imports"],
    ["a row below, by re-export", "src/low/a.ts", `export { b } from "../top/b.js";`, "(low) imports"],
    ["a row below, at run time", "src/low/a.ts", `await import("../top/b.js");`, "(low) imports"],
    ["a neighbor in the same row", "src/left/a.ts", `import "../right/b.js";`, "(left) imports ../right/b.js (right)"],
    ["a neighbor in the same folder", "src/split/one/a.ts", `import "../two/b.js";`, "(split/one) imports ../two/b.js"],
    ["a row below, from a test", "src/low/a.test.ts", `import "../top/b.js";`, "(low) imports"],
    ["a folder nobody listed", "src/other/a.ts", "", `"other" is not in the layer table`],
    ["a file beside the folders", "src/a.ts", "", `"a.ts" is not in the layer table`],
    ["a file outside the package", "src/low/a.ts", `import "../../other/b.js";`, "which is in no layer"],
    ["an undeclared package", "src/low/a.ts", `import "zod";`, "not a declared dependency"],
    ["an undeclared package of a scope", "src/low/a.ts", `import "@scope/other";`, "not a declared dependency"],
    ["a tool outside tests", "src/low/a.ts", `import "vitest";`, "not a declared dependency"],
    ["its own import of a row below", "src/low/a.ts", `import "#platform";`, "(low) imports #platform (left)"],
    ["Node in a portable layer", "src/low/a.ts", `import "node:fs";`, "low runs without Node"],
    ["Node under its old name", "src/low/a.ts", `import "fs";`, "not a declared dependency"],
  ])("%s is refused", (_, path, text, complaint) => {
    expect(check(path, text)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe("workspaces beside the packages", () => {
  const check = (text: string) =>
    outsiderViolations([file("suite/src/a.ts", text)], "suite", ["zod"], ["parley-mcp/server", "parley-requirements"]);

  test("published entries, declared packages, Node and the workspace itself are allowed", () => {
    expect(
      check(`import "parley-mcp/server"; import "parley-requirements"; import "zod/v4"; import "node:fs";`),
    ).toEqual([]);
    expect(check(`import "./b.js"; import "../c.js";`)).toEqual([]);
  });

  test.each([
    [`import "../../packages/sdk/src/server/index.js";`, "outside suite/"],
    [`import type { A } from "../../other/a.js";`, "outside suite/"],
    [`import "parley-mcp/dist/server/index.js";`, "parley-mcp does not publish"],
    [`import "parley-mcp";`, "parley-mcp does not publish"],
    [`import "left-pad";`, "not a declared dependency"],
  ])("%s is refused", (text, complaint) => {
    expect(check(text)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe("cycles", () => {
  test("are found through several files", () => {
    const files = [
      file("a.ts", `import "./b.js";`),
      file("b.ts", `export * from "./c.js";`),
      file("c.ts", `import { a } from "./a.js";`),
    ];
    expect(cycleViolations(files)).toEqual(["import cycle: a.ts -> b.ts -> c.ts -> a.ts"]);
  });

  test("are none when one link exists in types only, or when two paths lead to one file", () => {
    expect(
      cycleViolations([file("a.ts", `import "./b.js";`), file("b.ts", `import type { A } from "./a.js";`)]),
    ).toEqual([]);
    const diamond = [
      file("a.ts", `import "./b.js"; import "./c.js";`),
      file("b.ts", `import "./d.js";`),
      file("c.ts", `import "./d.js";`),
      file("d.ts", ""),
    ];
    expect(cycleViolations(diamond)).toEqual([]);
  });
});

describe("sizes and names", () => {
  test("500 lines pass and 501 do not", () => {
    expect(sizeViolations([file("a.ts", "x\n".repeat(500))])).toEqual([]);
    expect(sizeViolations([file("a.ts", "x\n".repeat(501))])).toEqual([expect.stringContaining("501 lines")]);
  });

  test.each([
    "src/utils.ts",
    "src/helpers/a.ts",
    "src/core/a.ts",
    "src/types.ts",
    "src/session-manager.ts",
    "src/common.test.ts",
  ])("%s is a drawer", (path) => {
    expect(nameViolations([path])).toHaveLength(1);
  });

  test.each(["src/tool-types.ts", "src/score.ts", "src/sharedness/a.ts", "README.md"])("%s is no drawer", (path) => {
    expect(nameViolations([path])).toEqual([]);
  });
});

describe("suppressions", () => {
  test.each([
    ["a.ts", "// biome-ignore lint/suspicious/noExplicitAny: because"],
    ["a.ts", "// biome-ignore-all lint: because"],
    ["a.ts", "/* v8 ignore next */"],
    ["a.ts", "// @ts-expect-error wrong on purpose"],
    ["a.test.ts", "// @ts-ignore"],
    ["a.test.ts", "// @ts-nocheck"],
  ])("%s: %s is refused", (path, text) => {
    expect(suppressionViolations([file(path, text)])).toHaveLength(1);
  });

  test("a test may expect a type error, and text that is no comment is fine", () => {
    expect(suppressionViolations([file("a.test.ts", "// @ts-expect-error wrong on purpose")])).toEqual([]);
    expect(suppressionViolations([file("a.ts", `const text = "biome-ignore";`)])).toEqual([]);
  });
});

describe("portability", () => {
  const check = (...files: SourceFile[]) => portabilityViolations(files, "a.ts", new Map([["#p", "p.ts"]]));

  test("modules of the package, its own imports and types may be loaded", () => {
    expect(
      check(
        file("a.ts", `import "./b.js"; import "#p";`),
        file("b.ts", `import type { A } from "node:fs"; import "./a.js";`),
        file("p.ts", ""),
      ),
    ).toEqual([]);
  });

  test("Node, packages and missing files may not, however far away", () => {
    expect(
      check(file("a.ts", `import "./b.js";`), file("b.ts", `import "node:fs"; import "zod"; import "#p";`)),
    ).toEqual(["a.ts loads node:fs by way of b.ts", "a.ts loads zod by way of b.ts", "p.ts does not exist"]);
  });
});
