/** The built `parley-check` against servers of other implementations: what it finds is what `known-findings.ts` lists. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { departures } from "../departures.js";
import { type CheckedServer, checkedServers } from "./known-findings.js";

const COMMAND = fileURLToPath(new URL("../../../packages/conformance/bin/parley-check.js", import.meta.url));
const CALLS = ['echo={"text":"hello"}', 'sum={"a":1,"b":2}', 'steps={"count":2}', "ask={}"];

interface Finding {
  readonly check: string;
  readonly revision: string;
  readonly outcome: string;
}

async function check({ peer, mode, revisions, only = [] }: CheckedServer): Promise<readonly Finding[]> {
  const found = peer.modes.find(({ name }) => name === mode);
  if (!found) throw new Error(`${peer.name} has no mode ${mode}`);
  await using server = await found.start();
  const url = "url" in server.endpoint ? server.endpoint.url : "";
  const options = [
    ...CALLS.flatMap((call) => ["--call", call]),
    ...revisions.flatMap((revision) => ["--revision", revision]),
    ...only.flatMap((area) => ["--only", area]),
  ];
  const program = spawn(process.execPath, [COMMAND, url, "--format", "json", ...options], {
    stdio: ["ignore", "pipe", 2],
  });
  const { findings } = JSON.parse(await text(program.stdout)) as { readonly findings: readonly Finding[] };
  return findings;
}

// Most of a run is waiting: for streams that stay open, and for servers in other processes.
describe.concurrent("parley-check", () => {
  test.for(checkedServers.map((server) => [server.peer.name, server.mode, server] as const))(
    "finds in %s over %s what is known of it, and nothing else",
    async ([, , server], { expect: expectHere }) => {
      const failed = (await check(server)).filter(({ outcome }) => outcome === "failed");
      const known = server.findings.flatMap(({ checks, revisions = server.revisions }) =>
        checks.flatMap((id) => revisions.map((revision) => `${id} ${revision}`)),
      );
      expectHere(failed.map(({ check: id, revision }) => `${id} ${revision}`).sort()).toEqual(known.sort());
    },
  );
});

test("a finding that names a departure has it in the list, at that server", () => {
  const stray = checkedServers.flatMap(({ peer, findings }) =>
    findings
      .filter(({ departure }) => departure !== undefined)
      .filter(({ departure: named }) => {
        const departure = departures.find(({ id }) => id === named);
        return !departure?.occurs.some(({ server }) => server === peer.name);
      }),
  );

  expect(stray).toEqual([]);
});

/** Departures of these servers that a checker of servers does not see, and why. */
const UNSEEN: Readonly<Record<string, string>> = {
  "undeclared-list-changes": "The checker calls no tool that changes a list.",
  "stream-refused-by-revision": "It follows from a session in an older revision than the client asked for.",
  "cancellation-unheard": "No allowed call takes long enough to be cancelled.",
};

test("a departure of these servers is found by the checker, or is listed as unseen", () => {
  const names = checkedServers.map(({ peer }) => peer.name);
  const found = new Set(checkedServers.flatMap(({ findings }) => findings.map(({ departure }) => departure)));
  const missed = departures
    .filter(({ occurs }) => occurs.some(({ server }) => server !== undefined && names.includes(server)))
    .filter(({ id }) => !found.has(id) && UNSEEN[id] === undefined);

  expect(missed.map(({ id }) => id)).toEqual([]);
});
