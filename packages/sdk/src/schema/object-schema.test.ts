import { expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { promptArgumentsOf, requireObjectSchema } from "./object-schema.js";

test("a root that is no object is refused by name", () => {
  expect(() => requireObjectSchema({ type: "object" }, 'tool "a"')).not.toThrow();
  expect(() => requireObjectSchema({}, 'tool "a"')).toThrow(SdkError);
  expect(() => requireObjectSchema({}, 'tool "a"')).toThrow(
    'tool "a": the schema\'s root must have type "object", got no type',
  );
  expect(() => requireObjectSchema({ type: ["object"] }, "x")).toThrow('got ["object"]');
});

test("prompt arguments come from the properties", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string", title: "City", description: "Where" },
      unit: { type: "string", title: 1 },
      any: true,
    },
    required: ["city"],
  };
  expect(promptArgumentsOf(schema)).toEqual([
    { name: "city", title: "City", description: "Where", required: true },
    { name: "unit" },
    { name: "any" },
  ]);
  expect(promptArgumentsOf({ type: "object" })).toEqual([]);
});
