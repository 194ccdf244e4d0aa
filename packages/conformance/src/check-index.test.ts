/** Generates docs/check-index.md: which requirement is decided by which checks. `--update` writes it anew. */
import { fileURLToPath } from "node:url";
import { requirements } from "parley-requirements";
import { expect, test } from "vitest";
import { allChecks, CHECK_AREAS } from "./checks/index.js";
import { CLIENT_AREAS, CLIENT_CHECKS } from "./client/areas/index.js";
import { ISSUER_CHECKS } from "./issuer/issuer-checks.js";
import { requirementOf, severityOf, sourceOf } from "./judge/check.js";

const EVERY_CHECK = [...allChecks(), ...CLIENT_CHECKS, ...ISSUER_CHECKS];
const EVERY_AREA = [...CHECK_AREAS, ...CLIENT_AREAS, { area: "issuer", checks: ISSUER_CHECKS }];

const PAGE = fileURLToPath(new URL("../../../docs/check-index.md", import.meta.url));

function render(): string {
  const decided = new Set(EVERY_CHECK.map(({ requirement }) => requirement));
  const musts = [...decided].filter((id) => requirements[id]?.strength === "must");
  const areas = EVERY_AREA.flatMap(({ area, checks }) => [
    `## ${area}`,
    "",
    "| check | severity | requirement |",
    "|---|---|---|",
    ...checks.map((check) => {
      const source = sourceOf(check).replace(/^docs\//, "");
      return `| \`${check.id}\`: ${check.title} | ${severityOf(check)} | [${check.requirement}](${source}) |`;
    }),
    "",
  ]);
  return [
    "# The checks of parley-check",
    "",
    "This page is generated. `npx vitest run --project checker check-index --update` writes it anew.",
    "",
    `${allChecks().length} checks of servers, ${CLIENT_CHECKS.length} of clients and ${ISSUER_CHECKS.length} of authorization servers decide ${decided.size} requirements, ${musts.length} of them a MUST. Each has a planted fault.`,
    "",
    ...areas,
  ].join("\n");
}

test("docs/check-index.md lists every check with its requirement", async () => {
  await expect(render()).toMatchFileSnapshot(PAGE);
});

test("every title is one sentence under 25 words", () => {
  const odd = EVERY_CHECK.filter(({ title }) => !/^[A-Za-z\d].*\.$/.test(title) || title.split(" ").length > 25);

  expect(odd.map(({ title }) => title)).toEqual([]);
  expect(EVERY_CHECK.map((check) => requirementOf(check).behavior)).not.toContain(undefined);
});
