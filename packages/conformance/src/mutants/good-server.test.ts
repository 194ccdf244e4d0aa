import { describe, expect, test } from "vitest";
import { allChecks } from "../checks/index.js";
import { requirementOf } from "../judge/check.js";
import type { Finding } from "../judge/report.js";
import { runScripted } from "./run-scripted.fixture.js";

function red(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ outcome, reason }) => outcome === "failed" || reason?.includes("the check itself failed"))
    .map(
      ({ check, revision, expected, got, reason }) =>
        `${check} ${revision}: ${reason ?? `expected ${expected}, got ${got}`}`,
    );
}

describe("a server without faults", () => {
  test.each([
    ["http", {}],
    ["stdio", {}],
    ["sse", {}],
    ["http", { token: "secret-token" }],
    ["http", { revisions: ["2026-07-28"] }],
    ["stdio", { revisions: ["2026-07-28"] }],
    ["http", { lacks: ["logging", "completions", "tools"] }],
  ] as const)("over %s with %j fails no check", async (kind, setup) => {
    const report = await runScripted({ kind, setup });

    expect(red(report.findings)).toEqual([]);
  });
});

test("every check names a requirement of the manifest, and no id is used twice", () => {
  const ids = allChecks().map((check) => check.id);

  expect(allChecks().map((check) => requirementOf(check).strength)).not.toContain(undefined);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
