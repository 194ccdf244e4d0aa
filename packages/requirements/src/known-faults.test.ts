import { describe, expect, test } from "vitest";
import { requirements } from "./index.js";
import { faultsPage, isProvenForReal, type KnownFaults, knownFaultComplaints, knownFaults } from "./known-faults.js";
import { FRAMES, LOCAL, OVER_HTTP, OVER_STDIO, type Requirement, SCRIPTED } from "./requirement.js";

test("what happens with every known fault is promised, and tested over a socket or in a process", () => {
  expect(knownFaultComplaints(knownFaults, requirements)).toEqual([]);
  expect([knownFaults.atServers.length, knownFaults.atClients.length]).toEqual([63, 35]);
});

// `npx vitest run --project requirements known-faults -u` writes it.
test("docs/faults.md tells of all of them", async () => {
  await expect(faultsPage(knownFaults)).toMatchFileSnapshot("../../../docs/faults.md");
});

describe("complaints about the lists", () => {
  const entry: Requirement = { behavior: "It holds.", source: { decision: "x" }, strength: "decision" };
  const manifest = { "a:real": entry, "a:played": { ...entry, over: SCRIPTED } };
  const listing = (...entries: string[]): KnownFaults => ({
    atServers: [{ fault: "noise", outcome: "silence", entries }],
    atClients: [],
  });

  test("there are none where each is proven", () => {
    expect(knownFaultComplaints(listing("a:real"), manifest)).toEqual([]);
  });

  test("a fault without an entry, with an unknown one, with one that is played in process", () => {
    expect(knownFaultComplaints(listing(), manifest)).toEqual(["noise: nobody promises anything"]);
    expect(knownFaultComplaints(listing("toString"), manifest)).toEqual(['noise: "toString" is not in the manifest']);
    expect(knownFaultComplaints(listing("a:played"), manifest)).toEqual([
      'noise: "a:played" is tested in process alone',
    ]);
  });

  test("a fault that is listed twice", () => {
    const { atServers } = listing("a:real");
    expect(knownFaultComplaints({ atServers, atClients: atServers }, manifest)).toEqual(["noise: listed twice"]);
  });

  test("what meets a socket or a process is told by the cells it runs in", () => {
    for (const over of [OVER_HTTP, OVER_STDIO]) expect(isProvenForReal({ ...entry, over })).toBe(true);
    for (const over of [LOCAL, SCRIPTED, FRAMES]) expect(isProvenForReal({ ...entry, over })).toBe(false);
    expect(isProvenForReal({ ...entry, needs: ["session"] })).toBe(true);
    expect(isProvenForReal({ ...entry, needs: ["lockstep"] })).toBe(false);
    expect(isProvenForReal({ ...entry, until: "2024-11-05" })).toBe(false);
    expect(isProvenForReal({ ...entry, since: "2025-03-26", until: "2025-03-26" })).toBe(true);
  });
});
