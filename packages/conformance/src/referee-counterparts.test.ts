/** Generates docs/check-referee.md: the scenarios of the official referee beside the checks. `--update` writes it anew. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allChecks } from "./checks/index.js";
import { ISSUER_CHECKS } from "./issuer/issuer-checks.js";
import { REFEREE_COUNTERPARTS, REFEREE_DISAGREEMENTS, REFEREE_ON_MUTANTS } from "./referee-counterparts.fixture.js";

const PAGE = fileURLToPath(new URL("../../../docs/check-referee.md", import.meta.url));
const IDS = [...allChecks(), ...ISSUER_CHECKS].map(({ id }) => id);

function isNamed(pattern: string): boolean {
  return IDS.some((id) => (pattern.endsWith("*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern));
}

function onMutants(): string[] {
  const count = (list: (row: (typeof REFEREE_ON_MUTANTS)[number]) => readonly string[]) =>
    REFEREE_ON_MUTANTS.reduce((sum, row) => sum + list(row).length, 0);
  const ids = (list: readonly string[]) => list.map((id) => `\`${id}\``).join(", ") || "none";
  return [
    "## On the planted faults",
    "",
    "The referee also judged the scripted server of `packages/conformance/src/mutants`, once for each planted fault whose check has a",
    `scenario of the referee. Both find ${count(({ both }) => both)} of ${count(({ both, checkerAlone }) => [...both, ...checkerAlone])} faults. Scenarios that need the tools of the referee's fixture are left out.`,
    "",
    "Without a fault, the referee fails the scripted server once. The referee sends a",
    "header with one revision and a body with an unknown one, and wants -32020. The checker takes -32022 as well: both sentences apply",
    "([mismatch](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation),",
    "[unknown revision](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation)).",
    "",
    "| scenario | faults that both find | faults that the checker alone finds | why the referee does not |",
    "|---|---|---|---|",
    ...REFEREE_ON_MUTANTS.map(
      ({ scenario, both, checkerAlone, because = "" }) =>
        `| \`${scenario}\` | ${ids(both)} | ${ids(checkerAlone)} | ${because} |`,
    ),
  ];
}

function render(): string {
  const rows = REFEREE_COUNTERPARTS.map(({ scenario, checks, remark }) => {
    const ids = checks.map((id) => `\`${id}\``).join(", ");
    return `| \`${scenario}\` | ${ids || "none"} | ${remark ?? ""} |`;
  });
  const covered = REFEREE_COUNTERPARTS.filter(({ checks }) => checks.length > 0).length;
  return [
    "# The official referee and parley-check",
    "",
    "This page is generated. `npx vitest run --project checker referee --update` writes it anew.",
    "",
    `The official referee 0.2.0-alpha.12 has ${REFEREE_COUNTERPARTS.length} scenarios for servers and authorization servers. ${covered} of them have counterparts here.`,
    "",
    "| scenario | checks | remark |",
    "|---|---|---|",
    ...rows,
    "",
    "## Side by side",
    "",
    "Both judged the servers of official v1 and v2, tmcp, mcp-lite and fastmcp that [interoperability](interop.md) tries. Scenarios that need",
    "the tools of the referee's fixture are left out: these servers have other tools. Both agree on `server-initialize`, `ping`,",
    "`resources-list`, `server-session-lifecycle`, `caching` and `input-required-result-unsupported-methods`. They",
    "differ here:",
    "",
    "| scenario | servers | referee | checker | what decides |",
    "|---|---|---|---|---|",
    ...REFEREE_DISAGREEMENTS.map(
      ({ scenario, servers, referee, checker, rule, page }) =>
        `| \`${scenario}\` | ${servers} | ${referee} | ${checker} | [${rule}](${page}) |`,
    ),
    "",
    ...onMutants(),
    "",
    "`interop/src/checker/known-findings.ts` lists every finding in these servers with its reason, and a test holds the list.",
    "",
  ].join("\n");
}

test("docs/check-referee.md lists every scenario", async () => {
  await expect(render()).toMatchFileSnapshot(PAGE);
});

test("every fault that the referee judged belongs to a counterpart of its scenario", () => {
  const stray = REFEREE_ON_MUTANTS.flatMap(({ scenario, both, checkerAlone }) => {
    const { checks = [] } = REFEREE_COUNTERPARTS.find((row) => row.scenario === scenario) ?? {};
    const belongs = (id: string) =>
      IDS.includes(id) && checks.some((name) => (name.endsWith("*") ? id.startsWith(name.slice(0, -1)) : id === name));
    return [...both, ...checkerAlone].filter((id) => !belongs(id));
  });

  expect(stray).toEqual([]);
});

test("every counterpart is a check", () => {
  const unknown = REFEREE_COUNTERPARTS.flatMap(({ checks }) => checks.filter((pattern) => !isNamed(pattern)));

  expect(unknown).toEqual([]);
});

test("every disagreement names a scenario", () => {
  const names = REFEREE_COUNTERPARTS.map(({ scenario }) => scenario);

  expect(REFEREE_DISAGREEMENTS.filter(({ scenario }) => !names.includes(scenario))).toEqual([]);
});

test("a scenario without a counterpart has a reason, and none is listed twice", () => {
  const names = REFEREE_COUNTERPARTS.map(({ scenario }) => scenario);
  const bare = REFEREE_COUNTERPARTS.filter(({ checks, remark }) => checks.length === 0 && remark === undefined);

  expect(bare).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
