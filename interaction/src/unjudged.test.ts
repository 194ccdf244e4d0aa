import { readFileSync } from "node:fs";
import { type Requirement, requirements } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { judgingFault, UNJUDGED } from "./unjudged.js";

const requirement: Requirement = { behavior: "It holds.", source: { decision: "x" }, strength: "decision" };
const local: Requirement = { ...requirement, over: { connections: [], because: "no-connection" } };
const LISTED = Object.keys(UNJUDGED)[0] ?? "";

describe("a test of a requirement", () => {
  test.each([
    ["that is judged", "tools:x", requirement, 1],
    ["that is listed, and of which nothing is heard", LISTED, requirement, 0],
    ["of OAuth", "oauth-server:x", requirement, 0],
    ["of OAuth that exchanges messages", "client-auth:x", requirement, 3],
    ["without a connection", "tools:x", local, 0],
  ])("is sound %s", (_case, id, entry, heard) => {
    expect(judgingFault(id, entry, heard)).toBeUndefined();
  });

  test("is wrong if nothing is heard of it and it is not listed", () => {
    expect(judgingFault("tools:x", requirement, 0)).toContain("The judges heard no message of tools:x");
  });

  test("is wrong if it is listed and something is heard of it", () => {
    expect(judgingFault(LISTED, requirement, 1)).toContain(`remove it from src/unjudged.ts`);
  });
});

describe("the list", () => {
  test("is sorted, and names requirements with a reason each", () => {
    const ids = Object.keys(UNJUDGED);
    expect(ids).toEqual([...ids].sort());
    expect(ids.filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
    expect(ids.filter((id) => !/^[A-Z].{20,}\.$/.test(UNJUDGED[id] ?? ""))).toEqual([]);
  });

  test.each(["../README.md", "../../ARCHITECTURE.md"])("has the length that %s tells", (page) => {
    const text = readFileSync(new URL(page, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
    expect(text).toContain(`${Object.keys(UNJUDGED).length} requirements are not judged`);
  });
});
