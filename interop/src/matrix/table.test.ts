import { expect, test } from "vitest";
import { departures } from "../departures.js";
import { features } from "../features.js";
import type { Cell, Outcome } from "./cell.js";
import { byPeer, departureLines, summaryLines, tableLines } from "./table.js";

const [first] = departures;
const outcomes: Record<string, Outcome> = {
  ping: { verdict: "not offered", why: "no such thing" },
  tools: { verdict: "failed", complaint: "no answer" },
  roots: { verdict: "departure", departure: first?.id ?? "", complaint: "odd" },
};
const cells = ["stdio", "HTTP"].flatMap((mode) =>
  features.map((feature): Cell => {
    const outcome = outcomes[feature] ?? { verdict: "passed" };
    return { client: "ours", server: "theirs", mode, feature, revision: undefined, outcome, wire: [] };
  }),
);

test("a table shows features by modes, with notes that say why", () => {
  const [peer] = byPeer(cells);
  const lines = peer ? tableLines(peer, departures) : [];

  expect(lines[0]).toBe("ours client × theirs server");
  const row = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.split(/ {2,}/);
  expect(row("connect")).toEqual(["connect", "passed", "passed"]);
  expect(row("ping")).toEqual(["ping", "- [1]", "- [1]"]);
  expect(row("tools")).toEqual(["tools", "FAILED", "FAILED"]);
  expect(row("roots")).toEqual(["roots", "departs [A]", "departs [A]"]);
  expect(lines).toContain("[1] no such thing");
});

test("every departure is explained under its letter", () => {
  expect(departureLines(departures)[0]).toBe(`[A] ${first?.id}: ${first?.what}`);
});

test("the summary counts each mode", () => {
  const passed = features.length - 3;
  expect(summaryLines(cells).slice(2)).toEqual([
    `| ours | theirs | stdio | ${passed} | 1 | [${first?.id}](#${first?.id}) |`,
    `| ours | theirs | HTTP | ${passed} | 1 | [${first?.id}](#${first?.id}) |`,
  ]);
});
