import { describe, expect, test } from "vitest";
import { z } from "zod";
import { validateNow, validatorOf } from "./schema-validator.js";

describe("a validator", () => {
  test("checks by a Standard Schema, also one that no JSON Schema can describe", async () => {
    const schema = z.object({ at: z.date() });
    const at = new Date(0);
    expect(await validatorOf(schema)({ at })).toEqual({ ok: true, value: { at } });
    expect(await validatorOf(schema)({ at: "today" })).toMatchObject({ ok: false, issues: [{ path: ["at"] }] });
  });

  test("checks by plain JSON Schema", async () => {
    const schema = { type: "object", required: ["at"] };
    expect(await validatorOf(schema)({ at: 1 })).toEqual({ ok: true, value: { at: 1 } });
    expect(await validatorOf(schema)({})).toMatchObject({ ok: false });
  });

  test("is made once", () => {
    const schema = { type: "object" };
    expect(validatorOf(schema)).toBe(validatorOf(schema));
  });

  test.each([
    ["a remote reference", { $ref: "https://example.com/schema" }, "unusable-schema"],
    ["no schema", "string", "invalid-argument"],
  ])("refuses %s", (_name, schema, code) => {
    expect(() => validatorOf(schema as never)).toThrow(expect.objectContaining({ code }));
  });

  test("that waits is refused where there is no time", () => {
    expect(validateNow(z.string(), "x", "here")).toEqual({ ok: true, value: "x" });
    const slow = z.string().refine(async () => true);
    const standard = {
      "~standard": { ...slow["~standard"], validate: (value: unknown) => Promise.resolve({ value }) },
    };
    expect(() => validateNow(standard, "x", "here")).toThrow(/^here: .*asynchronously/);
  });
});
