import { expect, test } from "vitest";
import { describeIssues } from "./validation-result.js";

test("issues are described in one line, each with its place", () => {
  const issues = [
    { path: ["env"], message: "expected string" },
    { path: ["tags", 0, "a b"], message: "required" },
    { path: [], message: "expected object" },
  ];
  expect(describeIssues(issues, "arguments")).toBe(
    'arguments.env: expected string; arguments.tags[0]["a b"]: required; arguments: expected object',
  );
});

test("a flood of issues and long names are cut short", () => {
  const issues = Array.from({ length: 12 }, () => ({ path: ["x".repeat(500)], message: "y".repeat(500) }));
  const described = describeIssues(issues, "r");
  expect(described).toMatch(/; and 2 more$/);
  expect(described.length).toBeLessThan(10 * 420);
});

test("a path and a message have 200 characters each", () => {
  const [whole, long] = ["y".repeat(200), "y".repeat(201)];
  expect(describeIssues([{ path: [], message: whole }], "r")).toBe(`r: ${whole}`);
  expect(describeIssues([{ path: [], message: long }], "r")).toBe(`r: ${whole}…`);
});
