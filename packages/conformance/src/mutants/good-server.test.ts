import { describe, expect, test } from "vitest";
import { allChecks } from "../checks/index.js";
import { jsonRpc } from "../checks/json-rpc.js";
import { requirementOf } from "../judge/check.js";
import type { Finding } from "../judge/report.js";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import type { OpenPipe } from "../wire/line-process.js";
import { runScripted } from "./run-scripted.fixture.js";
import { oneByOne } from "./scripted-pipe.fixture.js";

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

test("a server whose lines arrive one by one fails no check", async () => {
  const report = await runScripted({ kind: "stdio", wrap: oneByOne, areas: [jsonRpc], limits: DEFAULT_LIMITS });

  expect(red(report.findings)).toEqual([]);
});

test("a run over pipes starts few programs", async () => {
  let started = 0;
  const counted = (open: OpenPipe): OpenPipe => {
    return (handlers) => {
      started += 1;
      return open(handlers);
    };
  };

  const { checked } = await runScripted({ kind: "stdio", wrap: counted });

  expect(checked).toHaveLength(5);
  expect(started).toBeLessThanOrEqual(65);
});

test("every check names a requirement of the manifest, and no id is used twice", () => {
  const ids = allChecks().map((check) => check.id);

  expect(allChecks().map((check) => requirementOf(check).strength)).not.toContain(undefined);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
