import { describe, expect, test } from "vitest";
import { type Facts, manifestFaults } from "./manifest-faults.js";
import { mergeAreas } from "./merge-areas.js";
import type { Requirement } from "./requirement.js";

const base = "https://modelcontextprotocol.io/specification";
const facts: Facts = {
  sections: {
    "2025-11-25": { "server/tools": "tool text-content" },
    "2026-07-28": { "server/tools": "tool text-content", "basic/versioning": "terminology" },
    seps: { "1-skills": "names" },
    "ext-apps": { apps: "visibility" },
  },
  keywords: {
    "2025-11-25": { "server/tools": { "text-content": "must" } },
    "2026-07-28": {
      "server/tools": { tool: "must", "text-content": "should" },
      "basic/versioning": { terminology: "must" },
    },
    seps: { "1-skills": { names: "should" } },
    "ext-apps": { apps: { visibility: "must" } },
  },
  decisions: new Set(["opaque"]),
};
const chosen: Requirement = { behavior: "It holds.", source: { decision: "opaque" }, strength: "decision" };
const asked: Requirement = {
  behavior: "It is listed.",
  source: `${base}/2026-07-28/server/tools#tool`,
  strength: "must",
};

function faultsOf(id: string, entry: Requirement): string[] {
  return manifestFaults({ "tools:chosen": chosen, [id]: entry }, facts);
}

describe("manifest faults", () => {
  test("a sound manifest has none", () => {
    expect(faultsOf("tools:list:basic", asked)).toEqual([]);
    expect(
      faultsOf("tools:old", { ...asked, until: "2025-11-25", source: `${base}/2025-11-25/server/tools#text-content` }),
    ).toEqual([]);
    expect(
      faultsOf("tools:old", {
        ...asked,
        until: "2025-11-25",
        source: `${base}/2026-07-28/basic/versioning#terminology`,
      }),
    ).toEqual([]);
  });

  test("a proposal is a source in every revision, as strong as its section", () => {
    const source = "https://modelcontextprotocol.io/seps/1-skills#names";
    expect(faultsOf("skills:names", { ...asked, source, strength: "should", until: "2025-11-25" })).toEqual([]);
    expect(faultsOf("skills:names", { ...asked, source })).toEqual([
      expect.stringContaining("the strongest key word of its section is should"),
    ]);
    expect(faultsOf("skills:names", { ...asked, source: `${source}-2` })).not.toEqual([]);
  });

  test("the specification of an extension is a source in every revision", () => {
    const source =
      "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#visibility";
    expect(faultsOf("apps:tools", { ...asked, source, until: "2025-11-25" })).toEqual([]);
    expect(faultsOf("apps:tools", { ...asked, source: `${source}-2` })).not.toEqual([]);
  });

  test.each<[string, string, Partial<Requirement>]>([
    ["lower-case words", "Tools", {}],
    ["lower-case words", "tools", {}],
    ["lower-case words", "tools:-x", {}],
    ["one sentence", "tools:x", { behavior: "no full stop" }],
    ["since 2025-11-25 is after", "tools:x", { since: "2025-11-25", until: "2025-06-18" }],
    ["first revision goes without", "tools:x", { since: "2024-11-05" }],
    ["newest revision goes without", "tools:x", { until: "2026-07-28" }],
    ['strength is "decision", not "must"', "tools:x", { source: { decision: "opaque" } }],
    ['no section "made-up"', "tools:x", { source: { decision: "made-up" }, strength: "decision" }],
    ["needs a decision as its source", "tools:x", { strength: "decision" }],
    ["no known page", "tools:x", { source: "https://example.com/" }],
    ["no known page", "tools:x", { source: `${base}/2026-07-28/server/made-up#tool` }],
    ["no known page", "tools:x", { source: `${base}/2023-01-01/server/tools#tool` }],
    ['no section "made-up"', "tools:x", { source: `${base}/2026-07-28/server/tools#made-up` }],
    ["key word of its section is should", "tools:x", { source: `${base}/2026-07-28/server/tools#text-content` }],
    ["key word of its section is none", "tools:x", { source: `${base}/2025-11-25/server/tools#tool` }],
    ["holds until 2025-11-25", "tools:x", { until: "2025-11-25" }],
    ["holds until 2026-07-28", "tools:x", { source: `${base}/2025-11-25/server/tools#tool` }],
  ])("tells: %s (%s)", (complaint, id, change) => {
    expect(faultsOf(id, { ...asked, ...change }).join("\n")).toContain(complaint);
  });

  test.each(["should", "may", "stated"] as const)("a %s may cite a section with SHOULD", (strength) => {
    const source = `${base}/2026-07-28/server/tools#text-content`;
    expect(faultsOf("tools:x", { ...asked, source, strength })).toEqual([]);
  });

  test("tells of a decision that nothing rests on", () => {
    expect(manifestFaults({ "tools:x": asked }, facts)).toEqual(['decision "opaque": no entry rests on it']);
  });
});

test("two areas with the same id are refused", () => {
  expect(() => mergeAreas([{ "tools:x": asked }, { "tools:x": asked }])).toThrow('"tools:x" is in the manifest twice');
});
