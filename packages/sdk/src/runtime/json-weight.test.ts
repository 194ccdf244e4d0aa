import { expect, it } from "vitest";
import { jsonBytes, textBytes } from "./json-weight.js";

it("counts two bytes per character of a text", () => {
  expect(textBytes("abc")).toBe(6);
});

it("counts texts, names, containers and other values", () => {
  expect([jsonBytes("abc", 1_000), jsonBytes(1, 1_000), jsonBytes(null, 1_000)]).toEqual([22, 16, 16]);
  expect(jsonBytes([1, "abc"], 1_000)).toBe(40 + (16 + 2 + 16) + (16 + 2 + 22));
  expect(jsonBytes({ ab: {} }, 1_000)).toBe(40 + 16 + 4 + 40);
});

it("stops at the first member beyond the most that anybody asks for", () => {
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
});
