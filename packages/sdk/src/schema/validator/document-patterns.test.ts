import { expect, it } from "vitest";
import type { SchemaNode } from "../schema-node.js";
import { DocumentPatterns } from "./document-patterns.js";

it("keeps 30,000 characters of patterns for one schema", () => {
  const patterns = new DocumentPatterns();
  const node = { pointer: "/pattern" } as SchemaNode;
  for (let index = 1; index <= 300; index += 1) patterns.test(String(index).padStart(100, "a"), node);
  expect(() => patterns.test("b", node)).toThrow("is one pattern too many");
});
