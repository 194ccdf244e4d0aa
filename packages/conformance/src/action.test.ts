/** The composite GitHub action: its inputs are options of the command, and its step runs the packed package with them. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpServer } from "parley-mcp";
import { serveHttp } from "parley-mcp/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usageOf } from "./cli/options.js";
import { SMALL_PROGRAM } from "./mutants/small-program.fixture.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ACTION = readFileSync(join(PACKAGE, "action.yml"), "utf8");

interface ActionInput {
  readonly name: string;
  /** Empty without a default. */
  readonly byDefault: string;
  readonly isRequired: boolean;
}

/** The inputs: names with two spaces before them, between `inputs:` and `runs:`. */
function inputsOf(action: string): ActionInput[] {
  const [, section = ""] = action.split(/^(?:inputs|runs):$/m);
  return section
    .split(/^ {2}(?=[a-z])/m)
    .slice(1)
    .map((text) => ({
      name: text.slice(0, text.indexOf(":")),
      byDefault: (/^ {4}default: (.*)$/m.exec(text)?.[1] ?? "").replace(/^""$/, ""),
      isRequired: /^ {4}required: true$/m.test(text),
    }));
}

interface Step {
  readonly shell: string;
  /** The input that each variable of the environment has, by the name of the variable. */
  readonly env: readonly (readonly [variable: string, input: string])[];
  readonly script: string;
}

function stepsOf(action: string): Step[] {
  const [, section = ""] = action.split(/^ {2}steps:$/m);
  return section
    .split(/^ {4}- /m)
    .slice(1)
    .map((text) => ({
      shell: /^ {6}shell: (.*)$/m.exec(text)?.[1] ?? "",
      env: [...text.matchAll(/^ {8}([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$/gm)].map(
        ([, variable = "", input = ""]) => [variable, input],
      ),
      script: (text.split("run: |\n")[1] ?? "").replaceAll(/^ {8}/gm, ""),
    }));
}

const INPUTS = inputsOf(ACTION);
const STEPS = stepsOf(ACTION);

/** Runs every step as the runner of GitHub does: by its shell, with the inputs in its variables. */
async function runAction(given: Readonly<Record<string, string>>, cwd: string, prelude = "") {
  let output = "";
  for (const { shell, env, script } of STEPS) {
    const inputOf = (input: string) =>
      given[input] ?? INPUTS.find(({ name }) => name === input)?.byDefault ?? "there is no such input";
    const variables = Object.fromEntries(env.map(([variable, input]) => [variable, inputOf(input)]));
    const options = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", `${prelude}${script}`];
    const child = spawn(shell, options, { cwd, env: { ...process.env, ...variables } });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    if (code !== 0) return { code, output };
  }
  return { code: 0, output };
}

/** A project that has installed the packed package, and nothing else. */
let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "parley-action-"));
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: project, encoding: "utf8", stdio: "pipe" });
  writeFileSync(join(project, "package.json"), '{ "name": "checked", "version": "1.0.0", "private": true }');
  writeFileSync(join(project, "server.js"), SMALL_PROGRAM);
  // A fault: the result of ping is no object.
  writeFileSync(join(project, "faulty.js"), SMALL_PROGRAM.replace("ping: () => ({})", 'ping: () => "pong"'));
  const [packed] = JSON.parse(npm("pack", "--json", "--ignore-scripts", PACKAGE)) as { filename: string }[];
  npm("install", "--offline", "--no-audit", "--no-fund", `./${packed?.filename}`);
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

test("every input but the target is an option of the command", () => {
  const unknown = INPUTS.filter(({ name }) => name !== "target" && !usageOf(undefined).includes(`--${name}`));

  expect(INPUTS.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(["target"]);
  expect(unknown).toEqual([]);
});

test("the steps read every input", () => {
  const read = STEPS.flatMap(({ env }) => env.map(([, input]) => input));

  expect(STEPS).toHaveLength(1);
  expect(read.sort()).toEqual(INPUTS.map(({ name }) => name).sort());
});

test("the step hands its inputs to the command", async () => {
  const given = { target: "-- node server.js", call: 'search={"query":"tea time"}', "allow-calls": "true" };
  const { output } = await runAction(given, tmpdir(), "npx() { printf '%s\\n' \"$@\"; }\n");

  expect(output.trim().split("\n")).toEqual([
    ...["--yes", "@parley-mcp/conformance", "--format", "pretty", "--fail-on", "failure"],
    ...["--call", 'search={"query":"tea time"}', "--allow-calls"],
    ...["--", "node", "server.js"],
  ]);
});

test("a server over HTTP without findings passes, and its report is written", async () => {
  const server = new McpServer({ name: "checked", version: "1.0.0", onError: () => undefined });
  server.tool("hello", { annotations: { readOnlyHint: true } }, () => "Hello");
  await using serving = await serveHttp(server, { port: 0 });

  const given = { target: serving.url, "allow-calls": "true", format: "junit", output: "report.xml" };
  const { code, output } = await runAction(given, project);

  expect(output).toMatch(/\d+ passed, 0 failures.*; the report is in report\.xml/);
  expect(code).toBe(0);
  expect(readFileSync(join(project, "report.xml"), "utf8")).toContain(`<testsuites name="${serving.url}" tests=`);
});

test("a program with a finding fails the step, and its report is written", async () => {
  const given = { target: "-- node faulty.js", format: "sarif", output: "report.sarif", only: "json-rpc,lifecycle" };
  const { code } = await runAction(given, project);

  const { runs } = JSON.parse(readFileSync(join(project, "report.sarif"), "utf8"));
  expect(code).toBe(1);
  expect(runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain("ping-answered");
});

test("the same program passes with its findings as the baseline", async () => {
  writeFileSync(join(project, "known.txt"), "ping-answered 2025-06-18\n");
  const given = { target: "-- node faulty.js", baseline: "known.txt", only: "ping-answered" };
  const { code, output } = await runAction(given, project);

  expect(output).toContain("ping-answered");
  expect(code).toBe(0);
});

test("a server that nobody reaches exits with 2, says so, and writes no report", async () => {
  const { code, output } = await runAction({ target: "http://127.0.0.1:1/mcp", output: "none.txt" }, project);

  expect(output).toContain("parley-check: ");
  expect(code).toBe(2);
  expect(existsSync(join(project, "none.txt"))).toBe(false);
});
