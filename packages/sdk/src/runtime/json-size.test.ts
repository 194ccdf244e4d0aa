import { expect, it } from "vitest";
import { jsonBytes, textBytes } from "./json-size.js";

it.each([
  ["a number", 1, 48],
  ["null", null, 48],
  ["a text", "abc", 48 + 6],
  ["an array", [1, "a"], 48 + 48 + 50],
  ["an object with its keys", { ab: true, c: [] }, 48 + 4 + 48 + 2 + 48],
])("counts %s", (_what, value, bytes) => {
  expect(jsonBytes(value)).toBe(bytes);
});

it("counts two bytes per character of a text", () => {
  expect(textBytes("abc")).toBe(6);
});

it("stops at the first member beyond the most that is asked for", () => {
  const visited: string[] = [];
  const member = (name: string) =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          visited.push(name);
          return [];
        },
      },
    );
  jsonBytes([member("first"), "x".repeat(100), member("last")], 200);
  expect(visited).toEqual(["first"]);
  jsonBytes({ first: "x".repeat(200), last: member("last") }, 200);
  expect(visited).toEqual(["first"]);
});
