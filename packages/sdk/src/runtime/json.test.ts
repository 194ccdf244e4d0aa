import { expect, test } from "vitest";
import { isJsonObject } from "./json.js";

test.each([{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__": []}')])("%j is a JSON object", (value) => {
  expect(isJsonObject(value)).toBe(true);
});

test.each([null, undefined, [], "text", 7, true, () => ({})])("%s is no JSON object", (value) => {
  expect(isJsonObject(value)).toBe(false);
});
