import { beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../judge/report.js";
import { runScripted } from "../mutants/run-scripted.fixture.js";
import { FORMATS } from "./index.js";

const OPTIONS = { isColored: false, isVerbose: false };

let report: Report;

beforeAll(async () => {
  const fault = { without: ["revision server/discover", "cursor tools", "host"] };
  report = await runScripted({ fault, revisions: ["2026-07-28"] });
});

function render(name: string): string {
  return FORMATS[name]?.({ ...report, target: 'http://a/<b>"&' }, OPTIONS) ?? "";
}

test("JSON holds the report", () => {
  expect(JSON.parse(render("json")).findings).toHaveLength(report.findings.length);
});

test("pretty puts failures before warnings before notes", () => {
  const marks = [...render("pretty").matchAll(/^(FAILURE|WARNING|NOTE)/gm)].map(([mark]) => mark);

  expect(marks).toEqual(["FAILURE", "WARNING", "NOTE"]);
});

test("pretty shows a check that is known in one revision and failed in another once as a finding and once as known", () => {
  const failed = report.findings.find(({ outcome, severity }) => outcome === "failed" && severity === "failure");
  if (!failed) throw new Error("no failure");
  const findings = [
    { ...failed, revision: "2025-11-25", known: "known.txt:1" },
    { ...failed, revision: "2026-07-28" },
  ];
  const text = FORMATS.pretty?.({ ...report, findings }, OPTIONS);

  expect(text).toContain(`FAILURE ${failed.check} (2026-07-28)\n`);
  expect(text).toContain(`known:\n  ${failed.check} (2025-11-25), failure: known.txt:1\n`);
  expect(text).toContain("0 passed, 1 failure, 1 known; ");
});

test("pretty with colors marks failures in red", () => {
  expect(FORMATS.pretty?.(report, { isColored: true, isVerbose: true })).toContain("\u001b[31mFAILURE");
});

describe("JUnit", () => {
  test("counts failures alone as failures, and what was not decided as skipped", () => {
    const text = render("junit");

    expect(text.match(/<failure /g)).toHaveLength(1);
    expect(text.match(/<skipped /g)?.length).toBe(
      report.findings.filter(({ outcome }) => outcome.startsWith("not")).length,
    );
  });

  test("escapes markup", () => {
    expect(render("junit")).toContain('<testsuites name="http://a/&lt;b&gt;&quot;&amp;" tests=');
  });
});

test("SARIF has a rule and a level for each result", () => {
  const [run] = JSON.parse(render("sarif")).runs;
  const rules = run.tool.driver.rules.map(({ id }: { id: string }) => id);

  expect(run.results.map(({ level }: { level: string }) => level).sort()).toEqual(["error", "note", "warning"]);
  expect(run.results.every(({ ruleId }: { ruleId: string }) => rules.includes(ruleId))).toBe(true);
});

describe("HTML", () => {
  test("refers to no other file", () => {
    expect(render("html")).not.toMatch(/<(?:link|img|script[^>]+src)/);
  });

  test("has an entry for each finding, and escapes what came from the server", () => {
    const text = render("html");

    expect(text.match(/<details /g)).toHaveLength(report.findings.length);
    expect(text).toContain("<h1>http://a/&lt;b&gt;&quot;&amp;</h1>");
  });
});

test("pretty counts failures also where there are warnings alone", async () => {
  const warned = await runScripted({ fault: { without: ["cursor tools"] }, revisions: ["2026-07-28"] });

  expect(FORMATS.pretty?.(warned, OPTIONS)).toMatch(/\d+ passed, 0 failures, 1 warning;/);
});

test("a finding about a decision of this project links to a page that any reader can open", () => {
  expect(render("pretty")).toMatch(/see {7}https:\/\/\S+\/docs\/decisions\.md#/);
});
