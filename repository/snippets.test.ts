/** Compiles every TypeScript example of the documents against the built package, and runs it. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { type Snippet, snippetsOf } from "./snippets.js";
import { listFiles, readSource, repositoryRoot } from "./source-files.js";

const deadlineMs = 20_000;
const workFolder = join(repositoryRoot, "repository/.scratch/snippets");

const pages = ["README.md", ...listFiles("docs").filter((path) => path.endsWith(".md"))];
const snippets = pages.flatMap((page) => {
  const folder = page.replace(/\.md$/, "").replaceAll("/", "-");
  return snippetsOf(readSource(page)).map((snippet) => ({ ...snippet, module: `${folder}/${snippet.file}` }));
});

describe("the examples in the documents", () => {
  let complaints = "not compiled";

  beforeAll(() => {
    requireFreshBuild();
    complaints = compile();
  });

  test("are there", () => {
    expect(snippets.filter((snippet) => snippet.origin.startsWith("README.md") && snippet.runs).length).toBeGreaterThan(
      0,
    );
  });

  test("have names of their own", () => {
    const modules = snippets.map((snippet) => snippet.module);
    expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
  });

  test("compile", () => {
    expect(complaints).toBe("");
  });

  test.each(snippets.filter((snippet) => snippet.runs))(
    "$origin runs and ends by itself",
    async ({ module, output }) => {
      const printed = await run(join(workFolder, "out", module.replace(/\.ts$/, ".js")));
      if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd());
    },
  );
});

/** Writes all snippets into one program and compiles it; returns the compiler's complaints with their place in the page. */
function compile(): string {
  rmSync(workFolder, { recursive: true, force: true });
  for (const { module, code } of snippets) {
    const path = join(workFolder, "src", module);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  writeFileSync(
    join(workFolder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.base.json",
      compilerOptions: { rootDir: "src", outDir: "out" },
      include: ["src"],
    }),
  );
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", workFolder], { cwd: workFolder, encoding: "utf8" });
  return snippets.reduce(
    (text, snippet) => text.replaceAll(`src/${snippet.module}(`, `${snippet.origin} + (`),
    stdout.trim(),
  );
}

/** @throws {Error} when the program fails, or has not ended before the deadline. */
function run(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program], { timeout: deadlineMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.killed ? `still running after ${deadlineMs} ms\n` : ""}${stdout}${stderr}`));
    });
  });
}

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
      { origin: "page.md:2", file: "line-2.ts", code: "a();\n", runs: true, output: "one\ntwo\n" },
      { origin: "page.md:11", file: "server.ts", code: "b();\n", runs: false, output: undefined },
    ]);
  });

  test("takes the indent of a list item off", () => {
    expect(read("- item", "  ```ts", "  if (a) {", "    b();", "", "  }", "  ```")[0]?.code).toBe(
      "if (a) {\n  b();\n\n}\n",
    );
  });

  test("a longer fence may show a shorter one", () => {
    expect(read("````md", "```ts", "a();", "```", "````")).toEqual([]);
  });

  test.each([
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
  const write = (name: string, text: string): string => {
    mkdirSync(join(workFolder, "made-up"), { recursive: true });
    const path = join(workFolder, "made-up", name);
    writeFileSync(path, text);
    return path;
  };

  test("returns what it printed", async () => {
    expect(await run(write("prints.mjs", `console.log("hello")`))).toBe("hello\n");
  });

  test("fails when the program fails", async () => {
    await expect(run(write("throws.mjs", `throw new Error("no luck")`))).rejects.toThrow("no luck");
  });
});
