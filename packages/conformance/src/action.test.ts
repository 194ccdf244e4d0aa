/** The composite GitHub action: its inputs are options of the command, and its script hands them over. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { USAGE } from "./cli/arguments.js";

const ACTION = readFileSync(new URL("../action.yml", import.meta.url), "utf8");

/** The inputs: lines with two spaces before the name, between `inputs:` and `runs:`. */
const INPUTS = [...(ACTION.split(/^(?:inputs|runs):$/m)[1] ?? "").matchAll(/^ {2}([a-z-]+):$/gm)].map(
  ([, name]) => name ?? "",
);

/** The words that the script gives to `npx`, with these inputs. */
function wordsOf(inputs: Readonly<Record<string, string>>): string[] {
  const script = (ACTION.split("run: |\n")[1] ?? "").replaceAll(/^ {8}/gm, "");
  const named = Object.entries({ format: "pretty", "fail-on": "failure", ...inputs });
  const env = Object.fromEntries(named.map(([name, value]) => [name.toUpperCase().replaceAll("-", "_"), value]));
  const { stdout } = spawnSync("bash", ["-c", `npx() { printf '%s\\n' "$@"; }\n${script}`], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  return stdout.trim().split("\n").slice(2);
}

test("every input but the target is an option of the command", () => {
  const unknown = INPUTS.filter((name) => name !== "target" && !USAGE.includes(`--${name}`));

  expect(INPUTS).toContain("target");
  expect(unknown).toEqual([]);
});

test("the script reads every input", () => {
  const unread = INPUTS.filter((name) => !ACTION.includes(`\${{ inputs.${name} }}`));

  expect(unread).toEqual([]);
});

test("the script hands its inputs to the command", () => {
  const words = wordsOf({ target: "-- node server.js", call: 'search={"query":"tea time"}', "allow-calls": "true" });

  expect(words).toEqual([
    ...["--format", "pretty", "--fail-on", "failure", "--call", 'search={"query":"tea time"}', "--allow-calls"],
    ...["--", "node", "server.js"],
  ]);
});
