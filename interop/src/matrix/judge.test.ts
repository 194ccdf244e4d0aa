import { expect, test } from "vitest";
import type { Departure } from "../departures.js";
import type { WireEntry } from "../wire/wire-log.js";
import type { Cell } from "./cell.js";
import { departureFor, judge, problemsIn, unseen } from "./judge.js";

const departure: Departure = {
  id: "late",
  what: "It answers late.",
  rule: "Answers are on time.",
  strength: "MUST",
  page: "a page",
  complaint: /too late/,
  wire: /pause/,
  occurs: [{ server: "slow", modes: ["stdio"], features: ["ping"] }],
};
const wire: readonly WireEntry[] = [{ from: "server", text: "a pause, and the answer" }];
const pair = { client: "ours", server: "slow", mode: "stdio" };

test("a check that does not complain has passed", () => {
  expect(judge(undefined, undefined, wire)).toEqual({ verdict: "passed" });
});

test("a check that complains has failed", () => {
  expect(judge("no answer", undefined, wire)).toEqual({ verdict: "failed", complaint: "no answer" });
});

test("the complaint that a departure is known by is a departure", () => {
  expect(judge("it came too late", departure, wire)).toEqual({
    verdict: "departure",
    departure: "late",
    complaint: "it came too late",
  });
});

test("another complaint in a cell with a departure is a failure", () => {
  expect(judge("no answer", departure, wire)).toEqual({ verdict: "failed", complaint: "no answer" });
});

test("a complaint without the departure on the wire is a failure", () => {
  const complaint = 'it came too late; the wire does not show the departure "late"';
  expect(judge("it came too late", departure, [])).toEqual({ verdict: "failed", complaint });
});

test("a departure that no longer occurs is a failure", () => {
  expect(judge(undefined, departure, wire)).toMatchObject({ verdict: "failed", complaint: /"late" no longer occurs/ });
});

test.each([
  ["its own cell", pair, "ping", departure],
  ["another feature", pair, "tools", undefined],
  ["another mode", { ...pair, mode: "HTTP" }, "ping", undefined],
  ["another server", { ...pair, server: "fast" }, "ping", undefined],
  ["any client, since none is named", { ...pair, client: "theirs" }, "ping", departure],
] as const)("a departure holds in %s", (_where, where, feature, expected) => {
  expect(departureFor([departure], where, feature)).toBe(expected);
});

test("failed cells are problems, and departures that no cell shows are found", () => {
  const cell = { ...pair, feature: "ping", revision: undefined, wire: [] } as const;
  const failed: Cell = { ...cell, outcome: { verdict: "failed", complaint: "no answer" } };
  const departed: Cell = { ...cell, outcome: { verdict: "departure", departure: "late", complaint: "too late" } };

  expect(problemsIn([failed, departed])).toEqual(["ours client, slow server, stdio, ping: no answer"]);
  expect(unseen([departure], [failed])).toEqual([departure]);
  expect(unseen([departure], [failed, departed])).toEqual([]);
});
