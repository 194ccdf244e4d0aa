import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { compileSchema } from "./compile-schema.js";
import type { Schema, SchemaInput, SchemaOutput, StandardSchema } from "./schema.js";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** What the compiler makes of a schema at a call, as in `server.tool`. */
function typesOf<S extends Schema>(_schema: S): { input: SchemaInput<S>; output: SchemaOutput<S> } {
  return {} as { input: SchemaInput<S>; output: SchemaOutput<S> };
}

describe("Zod", () => {
  const schema = z.object({ env: z.string(), replicas: z.number().default(1) });

  test("describes what it takes and what it yields", () => {
    const properties = { env: { type: "string" }, replicas: { type: "number", default: 1 } };
    expect(compileSchema(schema, "input").jsonSchema).toEqual({
      $schema: dialect,
      type: "object",
      properties,
      required: ["env"],
    });
    expect(compileSchema(schema, "output").jsonSchema).toMatchObject({ properties, required: ["env", "replicas"] });
  });

  test("validates at once, and fills in defaults", () => {
    const { validate } = compileSchema(schema, "input");
    expect(validate({ env: "prod" })).toEqual({ ok: true, value: { env: "prod", replicas: 1 } });
    expect(validate({ env: 1 })).toEqual({
      ok: false,
      issues: [{ path: ["env"], message: expect.stringContaining("expected string") }],
    });
  });

  test("waits where the schema does", async () => {
    const slow = compileSchema(
      schema.refine(async ({ env }) => env !== "moon", { path: ["env"] }),
      "input",
    );
    const pending = slow.validate({ env: "moon" });
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toMatchObject({ ok: false, issues: [{ path: ["env"] }] });
    expect(await slow.validate({ env: "prod" })).toEqual({ ok: true, value: { env: "prod", replicas: 1 } });
  });

  test("has its types", () => {
    expectTypeOf(typesOf(schema).input).toEqualTypeOf<{ env: string; replicas?: number | undefined }>();
    expectTypeOf(typesOf(schema).output).toEqualTypeOf<{ env: string; replicas: number }>();
  });

  test("is refused where it has no JSON Schema", () => {
    const compile = () => compileSchema(z.object({ at: z.date() }), "input");
    expect(compile).toThrow(SdkError);
    expect(compile).toThrow(expect.objectContaining({ code: "unusable-schema", cause: expect.any(Error) }));
    expect(compile).toThrow("This zod schema has no JSON Schema for its input: Date cannot be represented");
  });
});

describe("ArkType", () => {
  const schema = type({ env: "string", "replicas?": "number" });

  test("describes itself and validates", () => {
    const { jsonSchema, validate } = compileSchema(schema, "input");
    expect(jsonSchema).toMatchObject({ type: "object", required: ["env"] });
    expect(validate({ env: "prod" })).toEqual({ ok: true, value: { env: "prod" } });
    // Strictly: ArkType's own classes of arrays must not come through.
    expect(validate({ env: 1 })).toStrictEqual({
      ok: false,
      issues: [{ path: ["env"], message: expect.stringContaining("string") }],
    });
  });

  test("has its types", () => {
    expectTypeOf(typesOf(schema).output).toEqualTypeOf<{ env: string; replicas?: number }>();
  });
});

describe("Valibot", () => {
  const bare = v.object({ env: v.string(), list: v.array(v.number()) });
  const schema = toStandardJsonSchema(bare);

  test("describes itself and validates through its adapter", () => {
    const { jsonSchema, validate } = compileSchema(schema, "output");
    expect(jsonSchema).toMatchObject({ type: "object", required: ["env", "list"] });
    expect(validate({ env: "prod", list: [] })).toEqual({ ok: true, value: { env: "prod", list: [] } });
    expect(validate({ env: "prod", list: ["x"] })).toMatchObject({ ok: false, issues: [{ path: ["list", 0] }] });
  });

  test("has its types", () => {
    expectTypeOf(typesOf(schema).input).toEqualTypeOf<{ env: string; list: number[] }>();
  });

  test("is refused without its adapter, with the fix", () => {
    const compile = () => compileSchema(bare, "input");
    expect(compile).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(compile).toThrow("wrap it with toStandardJsonSchema() from @valibot/to-json-schema");
  });
});

describe("plain JSON Schema", () => {
  test("has objects for its type", () => {
    const types = typesOf({ type: "object", properties: { env: { type: "string" } } });
    expectTypeOf(types.output).toEqualTypeOf<JsonObject>();
    expectTypeOf(types.input).toEqualTypeOf<unknown>();
  });
});

describe("any other library", () => {
  const validate = () => ({ value: 1 });

  test.each([
    ["zod", "use Zod 4.2 or later"],
    ["arktype", "use ArkType 2.1.28 or later"],
    ["other", "use a library that implements Standard JSON Schema"],
  ])("is told what %s lacks", (vendor, fix) => {
    const schema = { "~standard": { version: 1, vendor, validate } };
    expect(() => compileSchema(schema as unknown as Schema, "input")).toThrow(
      `This ${vendor} schema cannot describe itself as JSON Schema: ${fix}`,
    );
  });

  test("is refused if it describes itself with no object, or fails with no error", () => {
    const describing = (input: () => unknown) =>
      ({ "~standard": { version: 1, vendor: "odd", validate, jsonSchema: { input } } }) as unknown as Schema;
    expect(() =>
      compileSchema(
        describing(() => "text"),
        "input",
      ),
    ).toThrow("describes its input with string");
    const failing = describing(() => {
      const anything: unknown = "a fit";
      throw anything;
    });
    expect(() => compileSchema(failing, "input")).toThrow("has no JSON Schema for its input: a fit");
  });

  test("may put symbols and no path into its issues", () => {
    const issues = [{ message: "a", path: [Symbol("s"), { key: 1 }] }, { message: "b" }];
    const jsonSchema = { input: () => ({}), output: () => ({}) };
    const schema: StandardSchema = {
      "~standard": { version: 1, vendor: "odd", validate: () => ({ issues }), jsonSchema },
    };
    expect(compileSchema(schema, "input").validate(1)).toEqual({
      ok: false,
      issues: [
        { path: ["Symbol(s)", 1], message: "a" },
        { path: [], message: "b" },
      ],
    });
  });
});
