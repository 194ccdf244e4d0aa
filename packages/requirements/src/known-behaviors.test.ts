import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { requirements } from "./index.js";
import type { KnownBehaviors } from "./known-behaviors/known-behavior.js";
import { knownBehaviorFaults, knownBehaviors, listedIds } from "./known-behaviors.js";

test("every known behavior is promised, replaced or not applicable", () => {
  expect(knownBehaviorFaults(knownBehaviors, new Set(Object.keys(requirements)))).toEqual([]);
});

/** The list they were collected from, where it lies beside the checkout: one behavior per line, its id first. */
const collected = new URL("../../../../shared/reference/requirements.tsv", import.meta.url);

test("no known behavior is left out, and none is made up", () => {
  const listed = listedIds(knownBehaviors).sort();
  const rows = existsSync(collected) ? readFileSync(collected, "utf8").trim().split("\n").slice(1) : undefined;
  // Its spelling is British.
  const ids = rows?.map((row) => row.slice(0, row.indexOf("\t")).replace("iour", "ior"));

  expect(listed).toEqual(ids?.sort() ?? listed);
  expect(listed).toHaveLength(637);
});

describe("faults of the lists", () => {
  const none: KnownBehaviors = { same: [], elsewhere: {}, otherwise: {}, notApplicable: {} };
  const promised = new Set(["tools:a", "tools:b"]);
  const because = "It is so.";

  test("sound lists have none", () => {
    const sound: KnownBehaviors = {
      same: ["tools:a"],
      elsewhere: { "old:b": ["tools:b", "tools:a"] },
      otherwise: { "old:c": { because, instead: ["tools:a"] } },
      notApplicable: { "old:d": { reason: "another-api", because } },
    };
    expect(knownBehaviorFaults([sound, none], promised)).toEqual([]);
    expect(listedIds([none, sound])).toEqual(["tools:a", "old:b", "old:c", "old:d"]);
  });

  test.each<[string, Partial<KnownBehaviors>]>([
    ["tools:a: listed twice", { same: ["tools:a"], elsewhere: { "tools:a": ["tools:b"] } }],
    ['tools:c: "tools:c" is not in the manifest', { same: ["tools:c"] }],
    ['old:a: "tools:c" is not in the manifest', { elsewhere: { "old:a": ["tools:a", "tools:c"] } }],
    ["old:a: names no entry of the manifest", { elsewhere: { "old:a": [] } }],
    ['old:a: "tools:c" is not in the manifest', { otherwise: { "old:a": { because, instead: ["tools:c"] } } }],
    [
      "old:a: the reason is a sentence with a full stop",
      { otherwise: { "old:a": { because: "", instead: ["tools:a"] } } },
    ],
    [
      "old:a: the reason is a sentence with a full stop",
      { notApplicable: { "old:a": { reason: "another-api", because: "no" } } },
    ],
    [
      'tools:a: is in the manifest, so it belongs under "same"',
      { notApplicable: { "tools:a": { reason: "another-api", because } } },
    ],
  ])("tells: %s", (fault, area) => {
    expect(knownBehaviorFaults([{ ...none, ...area }], promised)).toEqual([fault]);
  });

  test("tells of an id that two areas list", () => {
    const area: KnownBehaviors = { ...none, same: ["tools:a"] };
    expect(knownBehaviorFaults([area, area], promised)).toEqual(["tools:a: listed twice"]);
  });
});
