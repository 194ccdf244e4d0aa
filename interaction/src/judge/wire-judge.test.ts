import type { WireEntry } from "parley-mcp/testing";
import { REVISIONS, type Revision } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { publishedSchemas } from "./published-schemas.js";
import { loadSpecSchemas } from "./spec-schemas.js";
import type { Judge } from "./statement.js";
import { availableJudges, wireComplaints } from "./wire-judge.js";

const spec = loadSpecSchemas();
const judges: Judge[] = spec ? [spec, publishedSchemas] : [publishedSchemas];
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Said = [WireEntry["from"], object];

function complaints(judge: Judge, revision: Revision, ...said: Said[]): string {
  const entries = said.map(([from, message]) => ({ from, message: { jsonrpc: "2.0", ...message } }) as WireEntry);
  return wireComplaints({ entries, judged: ["client", "server"] }, revision, [judge]).join("\n");
}

/** A call and its answer as the revision writes them, with changes. */
function call(revision: Revision, params: object = {}, result: object = {}): Said[] {
  const isModern = revision === "2026-07-28";
  const asked = { name: "add", arguments: { a: 1 }, ...(isModern && { _meta: meta }), ...params };
  const answered = { content: [{ type: "text", text: "1" }], ...(isModern && { resultType: "complete" }), ...result };
  return [
    ["client", { id: 1, method: "tools/call", params: asked }],
    ["server", { id: 1, result: answered }],
  ];
}

describe.each(judges.map((judge) => [judge.name, judge] as const))("%s", (_name, judge) => {
  test.each(REVISIONS)("finds nothing wrong with a call in %s", (revision) => {
    expect(complaints(judge, revision, ...call(revision))).toBe("");
  });

  test.each(REVISIONS)("lets custom methods pass in %s", (revision) => {
    const result = revision === "2026-07-28" ? { resultType: "complete", own: 1 } : { own: 1 };
    const said: Said[] = [
      ["client", { id: "a", method: "acme/run", params: { own: 1 } }],
      ["server", { id: "a", result }],
      ["server", { method: "acme/done" }],
      ["server", { error: { code: -32700, message: "no JSON" } }],
    ];
    expect(complaints(judge, revision, ...said)).toBe("");
  });

  test.each<[string, Said[]]>([
    ["a request whose params are wrong", call("2025-06-18", { name: 1 })],
    ["a result that lacks what it must have", call("2025-06-18", {}, { content: "text" })],
    ["a content block of no known type", call("2025-06-18", {}, { content: [{ type: "smell" }] })],
    ["a fractional id", [["client", { id: 1.5, method: "tools/list" }]]],
    ["an error without a message", [["server", { id: 1, error: { code: -32603 } }]]],
    ["a notification whose params are wrong", [["client", { method: "notifications/progress", params: {} }]]],
  ])("tells of %s", (_what, said) => {
    expect(complaints(judge, "2025-06-18", ...said)).not.toBe("");
  });
});

describe.runIf(spec)("the specification's JSON schemas", () => {
  const judge = spec as Judge;

  test.each<[string, string, Revision, Said[]]>([
    ["an absent envelope", "_meta", "2026-07-28", call("2026-07-28", { _meta: undefined })],
    ["an absent resultType", "resultType", "2026-07-28", call("2026-07-28", {}, { resultType: undefined })],
    ["audio before its time", "CallToolResult", "2024-11-05", call("2024-11-05", {}, audio())],
    [
      "structured content of the wrong kind",
      "structuredContent",
      "2025-11-25",
      call("2025-11-25", {}, { structuredContent: 1 }),
    ],
    ["a method the revision lacks", "has no ping", "2026-07-28", [["client", { id: 1, method: "ping" }]]],
    ["a method of the other side", "from the server", "2025-11-25", [["server", { id: 1, method: "tools/list" }]]],
    [
      "a revision refused without data",
      "data",
      "2026-07-28",
      [["server", { id: 1, error: { code: -32022, message: "no" } }]],
    ],
    [
      "broken base64",
      "byte",
      "2025-11-25",
      call("2025-11-25", {}, { content: [{ type: "image", data: "?", mimeType: "a/b" }] }),
    ],
    ["missing cache hints", "cacheScope", "2026-07-28", listing()],
    ["a modern result without content", "content", "2026-07-28", call("2026-07-28", {}, { content: undefined })],
  ])("tell of %s", (_what, complaint, revision, said) => {
    expect(complaints(judge, revision, ...said)).toContain(complaint);
  });

  test("know batches in one revision alone", () => {
    const entries: WireEntry[] = [{ from: "client", message: [{ jsonrpc: "2.0", id: 1, method: "ping" }] }];
    expect(wireComplaints({ entries, judged: ["client"] }, "2025-03-26", [judge])).toEqual([]);
    expect(wireComplaints({ entries, judged: ["client"] }, "2025-06-18", [judge])[0]).toContain("has no batches");
  });
});

test("only the sides that are ours are judged", () => {
  const entries = [{ from: "client", message: { jsonrpc: "2.0", id: 1, method: "tools/call" } }] as WireEntry[];
  expect(wireComplaints({ entries, judged: ["server"] }, "2025-06-18", judges)).toEqual([]);
  expect(wireComplaints({ entries, judged: ["client"] }, "2025-06-18", judges)).toHaveLength(judges.length);
});

test("the judges at hand are the specification's if it is there, and the published ones", () => {
  expect(availableJudges().map(({ name }) => name)).toEqual(judges.map(({ name }) => name));
});

function audio(): object {
  return { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] };
}

function listing(): Said[] {
  return [
    ["client", { id: 1, method: "tools/list", params: { _meta: meta } }],
    ["server", { id: 1, result: { resultType: "complete", tools: [] } }],
  ];
}
