/** Compiles every TypeScript example of the documents against the built package, and runs it. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { compileModules } from "./compile-modules.js";
import { runNode } from "./run-node.js";
import { type Snippet, snippetsOf } from "./snippets.js";
import { listFiles, readSource } from "./source-files.js";

/** Whether this Node runs TypeScript by itself: 22.18 and newer do. */
const erasesTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);

const pages = [
  "README.md",
  "packages/sdk/README.md",
  "packages/redis/README.md",
  "packages/bullmq/README.md",
  ...listFiles("docs").filter((path) => path.endsWith(".md")),
];
const snippets = pages.flatMap((page) => {
  const folder = page.replace(/\.md$/, "").replaceAll("/", "-");
  return snippetsOf(readSource(page)).map((snippet) => ({ ...snippet, module: `${folder}/${snippet.file}` }));
});

describe("the examples in the documents", () => {
  let compiled = { complaints: "not compiled", sources: "", out: "" };

  beforeAll(() => {
    requireFreshBuild();
    compiled = compileModules("snippets", snippets);
  });

  test("are there", () => {
    expect(snippets.filter((snippet) => snippet.path === "README.md" && snippet.runs).length).toBeGreaterThan(0);
  });

  test("have names of their own", () => {
    const modules = snippets.map((snippet) => snippet.module);
    expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
  });

  test("compile", () => {
    expect(compiled.complaints).toBe("");
  });

  const programs = snippets.filter((snippet) => snippet.runs);
  test.each(programs.map((program) => [`${program.path}:${program.line}`, program] as const))(
    "%s runs and ends by itself with its types erased",
    async (_, { module, output }) => {
      const printed = await runNode([join(compiled.out, module.replace(/\.ts$/, ".js"))]);
      if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd());
    },
  );

  // A module that names a compiled neighbor needs the compiler.
  const alone = programs.filter(({ text }) => erasesTypes && !/["']\.?\/?server\.js["']/.test(text));
  test.for(alone.map((program) => [`${program.path}:${program.line}`, program] as const))(
    "%s runs as it stands",
    async ([, { module, output }]) => {
      const printed = await runNode([join(compiled.sources, module)]);
      if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd());
    },
  );
});

describe("reading a page", () => {
  const read = (...lines: string[]): Snippet[] => snippetsOf({ path: "page.md", text: lines.join("\n") });

  test("finds complete modules, their marks and their output", () => {
    const page = read(
      "# Title",
      "```ts",
      "a();",
      "```",
      "<!-- output -->",
      "",
      "```text",
      "one",
      "two",
      "```",
      "```ts norun file=server.ts",
      "b();",
      "```",
      "```sh",
      "npm ci",
      "```",
    );
    expect(page).toEqual([
      { path: "page.md", line: 2, file: "line-2.ts", text: "a();\n", runs: true, output: "one\ntwo\n" },
      { path: "page.md", line: 11, file: "server.ts", text: "b();\n", runs: false, output: undefined },
    ]);
  });

  test("takes the indent of a list item off", () => {
    expect(read("- item", "  ```ts", "  if (a) {", "    b();", "", "  }", "  ```")[0]?.text).toBe(
      "if (a) {\n  b();\n\n}\n",
    );
  });

  test("a longer fence may show a shorter one", () => {
    expect(read("````md", "```ts", "a();", "```", "````")).toEqual([]);
  });

  test.each([
    ["a declaration that Node 20 lacks", ["```ts", "a();", "await using b = c();", "```"], "page.md:3: `using` is"],
    ["an open block", ["```ts", "a();"], "page.md:1: the block is never closed"],
    ["another name for the language", ["```typescript", "```"], "page.md:1: write `ts`"],
    ["an unknown mark", ["```ts ignore", "```"], `page.md:1: unknown mark "ignore"`],
    ["output of nothing", ["<!-- output -->", "```text", "```"], "page.md:2: <!-- output --> needs"],
    [
      "output of what does not run",
      ["```ts norun", "```", "<!-- output -->", "```text", "```"],
      "page.md:4: <!-- output -->",
    ],
    ["output in another language", ["```ts", "```", "<!-- output -->", "```sh", "```"], "page.md:4: <!-- output -->"],
    [
      "output after something else",
      ["```ts", "```", "```sh", "```", "<!-- output -->", "```text", "```"],
      "page.md:6: <!-- output -->",
    ],
  ])("%s is refused", (_, lines, complaint) => {
    expect(() => read(...lines)).toThrow(complaint);
  });
});

describe("running a program", () => {
  test("returns what it printed", async () => {
    expect(await runNode(["--eval", `console.log("hello")`])).toBe("hello\n");
  });

  test("fails when the program fails", async () => {
    await expect(runNode(["--eval", `throw new Error("no luck")`])).rejects.toThrow("no luck");
  });

  test("fails when the program does not end", async () => {
    await expect(runNode(["--eval", "setInterval(() => {}, 1000)"], 500)).rejects.toThrow("still running after 500 ms");
  });
});
