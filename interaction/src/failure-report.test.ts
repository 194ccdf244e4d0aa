import type { Requirement } from "parley-requirements";
import { describe, expect, test } from "vitest";
import type { Cell } from "./cells.js";
import { reportFailure } from "./failure-report.js";

const cell: Cell = { connection: "http", revision: "2025-06-18" };
const LINK = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result";
const asked: Requirement = { behavior: "The text comes back.", source: LINK, strength: "must" };
const chosen: Requirement = { behavior: "Nothing is text.", source: { decision: "x" }, strength: "decision" };

describe("the report of a failing test", () => {
  test("names the behavior, the source and the cell", () => {
    const error = reportFailure(new Error("expected 5 to be 6"), new Map([["tools:text", asked]]), cell);

    expect(error.message.split("\n")).toEqual([
      "expected 5 to be 6",
      "",
      "tools:text (must)",
      "  The text comes back.",
      `  ${LINK}`,
      "run over: http 2025-06-18",
    ]);
  });

  test("names every requirement of a test, and the decision that one rests on", () => {
    const verified = new Map([
      ["tools:text", asked],
      ["tools:nothing", chosen],
    ]);
    const { message } = reportFailure(new Error("no"), verified, { connection: "none", revision: "2026-07-28" });

    expect(message).toContain("tools:text (must)");
    expect(message).toContain("tools:nothing (decision)\n  Nothing is text.\n  docs/decisions.md#x");
    expect(message).toMatch(/run over: no connection$/);
  });

  test("keeps the error that was thrown, and makes one of any other value", () => {
    const thrown = new Error("no");

    expect(reportFailure(thrown, new Map(), cell)).toBe(thrown);
    expect(reportFailure("a string", new Map(), cell)).toMatchObject({
      message: expect.stringContaining("The test threw a string"),
      cause: "a string",
    });
  });

  test("extends the message of a DOMException, which has no setter", () => {
    const { message } = reportFailure(AbortSignal.abort().reason, new Map(), cell);

    expect(message).toBe("This operation was aborted\n\nrun over: http 2025-06-18");
  });
});
