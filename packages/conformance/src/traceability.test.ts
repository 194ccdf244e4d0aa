/** Generates docs/checks.md: requirement, checks and planted faults, the reach of the checks, and the SEPs. `--update` writes it anew. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requirements } from "parley-requirements";
import { expect, test } from "vitest";
import { allChecks, CHECK_AREAS } from "./checks/index.js";
import { CLIENT_AREAS, CLIENT_CHECKS } from "./client/areas/index.js";
import { ISSUER_CHECKS } from "./issuer/issuer-checks.js";
import { requirementOf, severityOf, sourceOf } from "./judge/check.js";

const EVERY_AREA = [...CHECK_AREAS, ...CLIENT_AREAS, { area: "issuer", checks: ISSUER_CHECKS }];
const EVERY_CHECK = EVERY_AREA.flatMap(({ checks }) => [...checks]);

const PAGE = fileURLToPath(new URL("../../../docs/checks.md", import.meta.url));
const SENTENCES = new URL("../../../repository/normative.tsv", import.meta.url);

/** Sides of the sentences that a checker of servers can see. */
const SERVER_SIDES = ["server", "both", "authorization-server"];

/** Requirements of a side that no checker of servers sees, by the beginning of their ids or a part of them. */
const UNSEEN: readonly { readonly pattern: RegExp; readonly because: string }[] = [
  { pattern: /^(client-|roots:|caching:|telemetry:)|:client(:|$)|-client$/, because: "binds the client" },
  { pattern: /^apps:/, because: "binds the host that shows pages, or the author of a page" },
  { pattern: /^extensions:/, because: "about extensions that the checker does not have" },
  { pattern: /^oauth-upstream:|^limits:/, because: "about what a server does elsewhere, or with a load" },
];

/** The SEPs whose sentences have checks, and the requirements of each, by the beginning of their ids. */
const SEPS: Readonly<Record<string, readonly string[]>> = {
  "SEP-414: trace context": ["meta:trace-context"],
  "SEP-835: incremental scope consent": ["hosting:auth:scope"],
  "SEP-985: protected resource metadata": ["hosting:auth:metadata", "hosting:auth:prm", "hosting:auth:missing-401"],
  "SEP-986: names of tools": ["tools:name", "tools:names"],
  "SEP-991: client metadata documents": ["oauth-server:document", "oauth-server:metadata"],
  "SEP-1303: validation errors as results": ["tools:input-validation"],
  "SEP-1686: tasks of 2025-11-25": ["tasks:"],
  "SEP-2164: resources that are not found": ["resources:read:unknown", "resources:read:not-found"],
  "SEP-2243: mirrored headers": ["hosting:http:modern:header"],
  "SEP-2322: multi round-trip requests": ["mrtr:"],
  "SEP-2468: issuer in redirects": ["hosting:auth:as-iss"],
  "SEP-2549: caching hints": ["meta:cache-hints"],
  "SEP-2575: stateless requests": ["errors:modern:", "lifecycle:stateless", "lifecycle:discover", "meta:client-info"],
};

interface Reach {
  readonly visible: readonly string[];
  readonly decided: readonly string[];
}

/** The MUSTs of servers that can be seen from outside, and those of them that checks decide. */
function reach(): Reach {
  const rows = readFileSync(SENTENCES, "utf8")
    .split("\n")
    .map((line) => line.split("\t"));
  const bound = new Set(
    rows.filter(([, , , side]) => SERVER_SIDES.includes(String(side))).flatMap((row) => (row[5] ?? "").split(/[ ,;]+/)),
  );
  const checked = new Set([...allChecks(), ...ISSUER_CHECKS].map(({ requirement }) => requirement));
  const visible = Object.entries(requirements)
    .filter(([id, { strength }]) => strength === "must" && (bound.has(id) || checked.has(id)))
    .filter(([id, { over }]) => over?.because !== "no-connection" && !UNSEEN.some(({ pattern }) => pattern.test(id)))
    .map(([id]) => id);
  return { visible, decided: visible.filter((id) => checked.has(id)) };
}

function link(id: string): string {
  return `[${id}](${sourceOf({ requirement: id, id, title: "", mend: "" }).replace(/^docs\//, "")})`;
}

function checksOf(id: string): string[] {
  return EVERY_CHECK.filter(({ requirement }) => requirement === id).map((check) => `\`${check.id}\``);
}

function render(): string {
  const decided = [...new Set(EVERY_CHECK.map(({ requirement }) => requirement))].sort();
  const musts = decided.filter((id) => requirements[id]?.strength === "must");
  const { visible, decided: reached } = reach();
  const areas = EVERY_AREA.flatMap(({ area, checks }) => [
    `### ${area}`,
    "",
    "| check | severity | requirement |",
    "|---|---|---|",
    ...checks.map((check) => `| \`${check.id}\`: ${check.title} | ${severityOf(check)} | ${link(check.requirement)} |`),
    "",
  ]);
  const seps = Object.entries(SEPS).flatMap(([sep, prefixes]) => {
    const found = decided.filter((id) => prefixes.some((prefix) => id.startsWith(prefix))).flatMap(checksOf);
    return found.length === 0 ? [] : [`| ${sep} | ${found.join(", ")} |`];
  });
  return [
    "# The checks of parley-check",
    "",
    "This page is generated. `npx vitest run --project checker traceability --update` writes it anew.",
    "",
    `${allChecks().length} checks of servers, ${CLIENT_CHECKS.length} of clients and ${ISSUER_CHECKS.length} of authorization servers decide ${decided.length} requirements, ${musts.length} of them a MUST.`,
    "Each check has a planted fault of its own, which goes by the name of the check.",
    "",
    "## Reach",
    "",
    `Servers and authorization servers have ${visible.length} MUSTs that can be seen from outside. Checks decide ${reached.length} of them, ${Math.floor((100 * reached.length) / visible.length)}%.`,
    "These are not decided:",
    "",
    ...visible.filter((id) => !reached.includes(id)).map((id) => `- ${link(id)}: ${requirements[id]?.behavior}`),
    "",
    "Requirements of these kinds are not counted:",
    "",
    ...UNSEEN.map(({ pattern, because }) => `- \`${pattern.source.replaceAll("|", "\\|")}\`: ${because}`),
    "",
    "## By requirement",
    "",
    "| requirement | says | checks, each with the fault of its name |",
    "|---|---|---|",
    ...decided.map((id) => `| ${link(id)} | ${requirements[id]?.behavior} | ${checksOf(id).join(", ")} |`),
    "",
    "## By SEP",
    "",
    "| SEP | checks |",
    "|---|---|",
    ...seps,
    "",
    "## By area",
    "",
    ...areas,
  ].join("\n");
}

test("docs/checks.md traces every requirement to its checks", async () => {
  await expect(render()).toMatchFileSnapshot(PAGE);
});

test("the checks decide at least 60% of the MUSTs that can be seen from outside", () => {
  const { visible, decided } = reach();

  expect(decided.length / visible.length).toBeGreaterThanOrEqual(0.6);
});

test("every SEP of the page has a check", () => {
  const ids = EVERY_CHECK.map(({ requirement }) => requirement);
  const empty = Object.entries(SEPS).filter(
    ([, prefixes]) => !prefixes.some((prefix) => ids.some((id) => id.startsWith(prefix))),
  );

  expect(empty).toEqual([]);
});

test("every title is one sentence under 25 words", () => {
  const odd = EVERY_CHECK.filter(({ title }) => !/^[A-Za-z\d].*\.$/.test(title) || title.split(" ").length > 25);

  expect(odd.map(({ title }) => title)).toEqual([]);
  expect(EVERY_CHECK.map((check) => requirementOf(check).behavior)).not.toContain(undefined);
});
