/** Generates docs/checks.md: requirement, checks and planted faults, the reach of the checks, and the SEPs. `--update` writes it anew. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requirements } from "parley-requirements";
import { expect, test } from "vitest";
import { allChecks, CHECK_AREAS } from "./checks/index.js";
import { CLIENT_AREAS, CLIENT_CHECKS } from "./client/areas/index.js";
import { ISSUER_CHECKS } from "./issuer/issuer-checks.js";
import { type CheckFacts, DECISIONS, requirementOf, severityOf, sourceOf } from "./judge/check.js";

const EVERY_AREA = [...CHECK_AREAS, ...CLIENT_AREAS, { area: "issuer", checks: ISSUER_CHECKS }];
const EVERY_CHECK = EVERY_AREA.flatMap(({ checks }) => [...checks]);

const PAGE = fileURLToPath(new URL("../../../docs/checks.md", import.meta.url));
const SENTENCES = new URL("../../../repository/normative.tsv", import.meta.url);

/** One party that the checker judges, and the MUSTs of it that can be seen from outside. */
interface Party {
  readonly name: string;
  /** Sides of the sentences that bind it. */
  readonly sides: readonly string[];
  readonly checks: readonly CheckFacts[];
  /** Requirements that no checker of it sees, by the beginning of their ids or a part of them. */
  readonly unseen: readonly { readonly pattern: RegExp; readonly because: string }[];
}

const SERVERS: Party = {
  name: "Servers and authorization servers",
  sides: ["server", "both", "authorization-server"],
  checks: [...allChecks(), ...ISSUER_CHECKS],
  unseen: [
    { pattern: /^(client-|roots:|caching:|telemetry:)|:client(:|$)|-client$/, because: "binds the client" },
    { pattern: /^apps:/, because: "binds the host that shows pages, or the author of a page" },
    { pattern: /^extensions:/, because: "about extensions that the checker does not have" },
    { pattern: /^oauth-upstream:|^limits:/, because: "about what a server does elsewhere, or with a load" },
  ],
};

const CLIENTS: Party = {
  name: "Clients",
  sides: ["client", "both"],
  checks: CLIENT_CHECKS,
  unseen: [
    {
      pattern: /^(hosting:|oauth-server:|oauth-resource:|oauth-upstream:|limits:|asking:)/,
      because: "binds the server",
    },
    {
      pattern:
        /^(ping:(client-to-server|not-in-modern)|errors:reserved-codes|tools:|prompts:|mrtr:push-api|subscriptions:listen:per-stream|sampling:tools:server|sampling:tool-use:server)/,
      because: "binds the server, whichever side its sentence names",
    },
    {
      pattern: /^protocol:(request-id:refused|error:invalid-params|progress:(token-refused|no-token|monotonic|stops))/,
      because: "binds the side that answers, in most cases the server",
    },
    {
      pattern: /^tasks:(create|result|cancel|unknown-id|list|side-channel|related-task|bidirectional)/,
      because: "binds the side that runs tasks; the checker starts none at a client",
    },
    { pattern: /^(apps|skills|extensions):/, because: "about extensions that the checker does not have" },
    {
      pattern: /^(telemetry:|caching:scope:|client-auth:(file-store|iss:hides-errors)|protocol:request-id:used-before)/,
      because: "about what a client stores, shows or is told by its program",
    },
  ],
};

/** The SEPs whose sentences have checks, and the requirements of each, by the beginning of their ids. */
const SEPS: Readonly<Record<string, readonly string[]>> = {
  "SEP-414: trace context": ["meta:trace-context"],
  "SEP-835: incremental scope consent": ["hosting:auth:scope"],
  "SEP-985: protected resource metadata": ["hosting:auth:metadata", "hosting:auth:prm", "hosting:auth:missing-401"],
  "SEP-986: names of tools": ["tools:name", "tools:names"],
  "SEP-991: client metadata documents": ["oauth-server:document", "oauth-server:metadata"],
  "SEP-1303: validation errors as results": ["tools:input-validation"],
  "SEP-1686: tasks of 2025-11-25": ["tasks:"],
  "SEP-2663: the tasks extension": ["tasks:extension:", "tasks:followed", "tasks:polling"],
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

/** The MUSTs of a party that can be seen from outside, and those of them that checks decide. */
function reachOf({ sides, checks, unseen }: Party): Reach {
  const rows = readFileSync(SENTENCES, "utf8")
    .split("\n")
    .map((line) => line.split("\t"));
  const bound = new Set(
    rows.filter(([, , , side]) => sides.includes(String(side))).flatMap((row) => (row[5] ?? "").split(/[ ,;]+/)),
  );
  const checked = new Set(checks.map(({ requirement }) => requirement));
  // A check that is a warning at most decides a weaker sentence of its requirement.
  const strict = checks.filter((check) => severityOf(check) === "failure");
  const decided = new Set(strict.map(({ requirement }) => requirement));
  const visible = Object.entries(requirements)
    .filter(([id, { strength }]) => strength === "must" && (bound.has(id) || checked.has(id)))
    .filter(([id, { over }]) => over?.because !== "no-connection" && !unseen.some(({ pattern }) => pattern.test(id)))
    .map(([id]) => id);
  return { visible, decided: visible.filter((id) => decided.has(id)) };
}

function link(id: string): string {
  return `[${id}](${sourceOf({ requirement: id, id, title: "", mend: "" }).replace(DECISIONS, "decisions.md")})`;
}

function checksOf(id: string): string[] {
  return EVERY_CHECK.filter(({ requirement }) => requirement === id).map((check) => `\`${check.id}\``);
}

function renderReach(party: Party): string[] {
  const { visible, decided } = reachOf(party);
  const share = Math.floor((100 * decided.length) / visible.length);
  return [
    `${party.name} have ${visible.length} MUSTs that can be seen from outside. Checks decide ${decided.length} of them, ${share}%.`,
    "These are not decided:",
    "",
    ...visible.filter((id) => !decided.includes(id)).map((id) => `- ${link(id)}: ${requirements[id]?.behavior}`),
    "",
    "Requirements of these kinds are not counted:",
    "",
    ...party.unseen.map(({ pattern, because }) => `- \`${pattern.source.replaceAll("|", "\\|")}\`: ${because}`),
    "",
  ];
}

function render(): string {
  const decided = [...new Set(EVERY_CHECK.map(({ requirement }) => requirement))].sort();
  const musts = decided.filter((id) => requirements[id]?.strength === "must");
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
    ...[SERVERS, CLIENTS].flatMap(renderReach),
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

test.each([SERVERS, CLIENTS])("the checks decide at least 60% of the MUSTs of: $name", (party) => {
  const { visible, decided } = reachOf(party);

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
