/** Generates docs/check-referee.md: the scenarios of the official referee beside the checks. `--update` writes it anew. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allChecks } from "./checks/index.js";
import { ISSUER_CHECKS } from "./issuer/issuer-checks.js";
import { REFEREE_COUNTERPARTS } from "./referee-counterparts.fixture.js";

const PAGE = fileURLToPath(new URL("../../../docs/check-referee.md", import.meta.url));
const IDS = [...allChecks(), ...ISSUER_CHECKS].map(({ id }) => id);

function isNamed(pattern: string): boolean {
  return IDS.some((id) => (pattern.endsWith("*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern));
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
  ].join("\n");
}

test("docs/check-referee.md lists every scenario", async () => {
  await expect(render()).toMatchFileSnapshot(PAGE);
});

test("every counterpart is a check", () => {
  const unknown = REFEREE_COUNTERPARTS.flatMap(({ checks }) => checks.filter((pattern) => !isNamed(pattern)));

  expect(unknown).toEqual([]);
});

test("a scenario without a counterpart has a reason, and none is listed twice", () => {
  const names = REFEREE_COUNTERPARTS.map(({ scenario }) => scenario);
  const bare = REFEREE_COUNTERPARTS.filter(({ checks, remark }) => checks.length === 0 && remark === undefined);

  expect(bare).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
