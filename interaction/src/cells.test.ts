import { CONNECTIONS, REVISIONS, REVISIONS_OVER, type Requirement } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { cellName, cellsOf } from "./cells.js";

const plain: Requirement = { behavior: "It holds.", source: { decision: "x" }, strength: "decision" };
const names = (requirement: Requirement) => cellsOf(requirement).admitted.map(cellName);

describe("cells of a requirement", () => {
  test("every connection at every revision that it has", () => {
    const all = CONNECTIONS.flatMap((name) => REVISIONS_OVER[name].map((date) => `${name} ${date}`));
    expect(names(plain)).toEqual(all);
    expect(new Set(cellsOf(plain).excluded.map(({ because }) => because))).toEqual(new Set(["no-such-connection"]));
    expect(names(plain)).toContain("http 2026-07-28");
    expect(names(plain)).not.toContain("sse 2026-07-28");
  });

  test("only the revisions it exists in, and the rest with that reason", () => {
    const over = { connections: ["direct", "json-rpc"], because: "scripted-peer" } as const;
    const { admitted, excluded } = cellsOf({ ...plain, over, since: "2025-03-26", until: "2025-06-18" });
    expect(admitted.map(cellName)).toEqual([
      "direct 2025-03-26",
      "direct 2025-06-18",
      "json-rpc 2025-03-26",
      "json-rpc 2025-06-18",
    ]);
    const inProcess = excluded.filter(({ connection }) => connection === "direct" || connection === "json-rpc");
    expect(inProcess.map(({ because }) => because)).toEqual(Array.from({ length: 6 }, () => "not-in-revision"));
  });

  test("only the connections it allows, and the rest with the manifest's reason", () => {
    const over = { connections: ["json-rpc"], because: "json-rpc-frames" } as const;
    const { admitted, excluded } = cellsOf({ ...plain, over });
    expect(admitted.map(({ connection }) => connection)).toEqual(REVISIONS.map(() => "json-rpc"));
    expect(excluded).toHaveLength((CONNECTIONS.length - 1) * REVISIONS.length);
    expect(new Set(excluded.map(({ because }) => because))).toEqual(new Set(["json-rpc-frames"]));
  });

  test("only the connections that have what it needs, and the rest with what they lack", () => {
    const { admitted, excluded } = cellsOf({ ...plain, needs: ["session", "fake-clock"] });
    expect(new Set(admitted.map(({ connection }) => connection))).toEqual(new Set(["direct", "json-rpc"]));
    const reasonOver = (name: string) =>
      excluded.find(({ connection, revision }) => connection === name && revision === "2025-11-25")?.because;
    expect([reasonOver("http-stateless"), reasonOver("stdio")]).toEqual(["needs-session", "needs-fake-clock"]);
  });

  test("once where nothing is connected", () => {
    const over = { connections: [], because: "no-connection" } as const;
    expect(names({ ...plain, over })).toEqual(["no connection"]);
    expect(cellsOf({ ...plain, over }).excluded).toHaveLength(CONNECTIONS.length * REVISIONS.length);
  });
});
