import { REVISIONS, type Requirement } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { cellName, cellsOf } from "./cells.js";

const plain: Requirement = { behavior: "It holds.", source: { decision: "x" }, strength: "decision" };
const names = (requirement: Requirement) => cellsOf(requirement).admitted.map(cellName);

describe("cells of a requirement", () => {
  test("every connection at every revision", () => {
    expect(names(plain)).toEqual(["direct", "json-rpc"].flatMap((name) => REVISIONS.map((date) => `${name} ${date}`)));
    expect(cellsOf(plain).excluded).toEqual([]);
  });

  test("only the revisions it exists in, and the rest with that reason", () => {
    const { admitted, excluded } = cellsOf({ ...plain, since: "2025-03-26", until: "2025-06-18" });
    expect(admitted.map(cellName)).toEqual([
      "direct 2025-03-26",
      "direct 2025-06-18",
      "json-rpc 2025-03-26",
      "json-rpc 2025-06-18",
    ]);
    expect(excluded).toHaveLength(6);
    expect(new Set(excluded.map(({ because }) => because))).toEqual(new Set(["not-in-revision"]));
  });

  test("only the connections it allows, and the rest with the manifest's reason", () => {
    const over = { connections: ["json-rpc"], because: "json-rpc-frames" } as const;
    const { admitted, excluded } = cellsOf({ ...plain, over });
    expect(admitted.map(({ connection }) => connection)).toEqual(REVISIONS.map(() => "json-rpc"));
    expect(excluded.map(({ connection, because }) => `${connection} ${because}`)).toEqual(
      REVISIONS.map(() => "direct json-rpc-frames"),
    );
  });

  test("once where nothing is connected", () => {
    const over = { connections: [], because: "no-connection" } as const;
    expect(names({ ...plain, over })).toEqual(["no connection"]);
    expect(cellsOf({ ...plain, over }).excluded).toHaveLength(10);
  });
});
