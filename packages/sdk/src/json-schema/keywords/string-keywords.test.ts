import { expect, test } from "vitest";
import { compileJsonSchema } from "../compile-json-schema.js";

test.each([
  [{ maxLength: 2 }, "😀😀", true],
  [{ maxLength: 1 }, "😀😀", false],
  [{ minLength: 2 }, "😀", false],
  [{ minLength: 2 }, "😀a", true],
  [{ maxLength: 1 }, "\ud83da", false],
  [{ minLength: 2 }, "\uffffa", true],
  [{ maxLength: 1 }, "\u{10000}", true],
])("%j counts the code points of %j: %s", (schema, value, isValid) => {
  expect(compileJsonSchema(schema)(value).ok).toBe(isValid);
});
