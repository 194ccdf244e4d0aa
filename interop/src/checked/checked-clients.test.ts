/** The official clients under parley-check: the checks that fail are those of the list, and no others. */
import { readFileSync } from "node:fs";
import { runClientChecks } from "@parley-mcp/conformance";
import { expect, test } from "vitest";
import { clientDepartures } from "./client-departures.js";
import { driveOfficialV1 } from "./official-v1-driver.js";
import { driveOfficialV2 } from "./official-v2-driver.js";

const page = readFileSync(new URL("../../../docs/check-clients-found.md", import.meta.url), "utf8");

/** Areas in which both clients pass what they show, notes included. */
const AREAS_WITHOUT_DEPARTURES = ["client-legacy-subscriptions", "client-http-sse"];

test.concurrent.each([
  ["official v1", driveOfficialV1],
  ["official v2", driveOfficialV2],
] as const)("%s fails the checks of its departures, and no others", async (name, driveClient) => {
  const { findings } = await runClientChecks({
    name,
    concurrency: 4,
    // Limits of size are decisions of this project, and the official clients have none.
    isSelected: (_check, area) => area !== "client-endless-responses",
    run: (trial) =>
      driveClient(trial).then(
        () => "done",
        (error: unknown) => String(error),
      ),
  });

  const failed = findings.filter(({ outcome, severity }) => outcome === "failed" && severity !== "note");
  const listed = clientDepartures.filter(({ client }) => client === name).flatMap(({ checks }) => checks);
  expect([...new Set(failed.map(({ check }) => check))].sort()).toEqual([...listed].sort());

  for (const area of AREAS_WITHOUT_DEPARTURES) {
    const inArea = findings.filter((finding) => finding.area === area);
    expect(inArea.filter(({ outcome }) => outcome === "passed").length, area).toBeGreaterThan(10);
    expect(inArea.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([]);
  }
  const polls = findings.filter(({ check }) => check === "client-modern-task-followed");
  expect(polls.map(({ outcome }) => outcome)).toEqual(["not observed"]);
});

test("docs/check-clients-found.md names the areas without departures", () => {
  const [, sentence = ""] = /without departures are (.*?)\./s.exec(page) ?? [];
  expect([...sentence.matchAll(/`([a-z-]+)`/g)].map(([, area]) => area)).toEqual(AREAS_WITHOUT_DEPARTURES);
});

test.each(clientDepartures)(
  "docs/check-clients-found.md shows: $client, $checks.0",
  ({ client, what, rule, page: at, checks }) => {
    const names = checks.map((check) => `\`${check}\``).join(", ");
    expect(page).toContain(
      `| ${client} | ${what} | [${rule}](https://modelcontextprotocol.io/specification/${at}) | ${names} |`,
    );
  },
);
