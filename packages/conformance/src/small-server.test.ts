/** A program with one tool and nothing else, over real pipes: what it lacks is not held against it. */
import { expect, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { SMALL_PROGRAM } from "./mutants/small-program.fixture.js";

test("a program with one tool has no findings, and most checks do not apply", async () => {
  let output = "";
  const code = await runCommand({
    argv: ["--format", "json", "--allow-calls", "--fail-on", "note", "--", process.execPath, "-e", SMALL_PROGRAM],
    env: process.env,
    print: (text) => {
      output += text;
    },
    complain: (text) => {
      output += text;
    },
    isTerminal: false,
  });

  const { claimed, findings } = JSON.parse(output);
  const failed = findings.filter((finding: { outcome: string }) => finding.outcome === "failed");
  expect(failed.map((finding: { check: string; got: string }) => `${finding.check}: ${finding.got}`)).toEqual([]);
  expect(claimed).toEqual(["2025-06-18"]);
  expect(code).toBe(0);
});
