import { runInNewContext } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { type SchemaLimits, UnusableSchemaError } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import { checkSchemaLimits, compileSchema, type JsonSchemaValidator } from "./compile-schema.js";
import type { Schema } from "./schema.js";

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

test("plain JSON Schema is kept verbatim, untouched even by validation", () => {
  const schema: JsonObject = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://example.com/s",
    $comment: "kept",
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    additionalProperties: false,
    $defs: { a: { type: "string", pattern: "^x" } },
    "x-unknown": { deep: [1, 2, 3] },
  };
  const before = structuredClone(schema);
  const { jsonSchema, validate } = compileSchema(deepFreeze(schema), "input");
  expect(validate({ a: "x" })).toEqual({ ok: true, value: { a: "x" } });
  expect(jsonSchema).toBe(schema);
  expect(jsonSchema).toEqual(before);
});

test.each([null, "string", 1, [], true])("%j is no schema", (schema) => {
  const compile = () => compileSchema(schema as unknown as Schema, "input");
  expect(compile).toThrow(SdkError);
  expect(compile).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});

describe("an object that is no plain one", () => {
  const compile = (schema: object) => () => compileSchema(schema as Schema, "input");
  const refused = (message: string) =>
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) });

  test("is refused with what to use for Zod that implements no Standard Schema", () => {
    class ZodObject {
      readonly _def = { shape: () => ({}) };
    }
    expect(compile(new ZodObject())).toThrow(refused("use Zod 4.2 or later, or pass JSON Schema"));
  });

  test("is refused with what a schema may be", () => {
    const expected = "Expected a Standard Schema or a plain JSON Schema object";
    expect(compile(new Map())).toThrow(refused(`${expected}, got a Map`));
    expect(compile(Object.create(new Map()))).toThrow(refused(`${expected}, got a Map`));
    const nameless: unknown = Object.create(Object.create(Object.create(null)));
    expect(compile(nameless as object)).toThrow(refused(`${expected}, got an object of a class`));
  });

  test("is told from a plain one without a prototype, or of another realm", () => {
    const bare = Object.assign(Object.create(null), { type: "object" });
    expect(compileSchema(bare, "input").jsonSchema).toBe(bare);
    const foreign = runInNewContext('({ type: "object" })');
    expect(compileSchema(foreign, "input").jsonSchema).toBe(foreign);
  });
});

describe("another validator", () => {
  /** How to use Ajv, which is faster and compiles schemas with `new Function`. */
  function ajvValidator(): JsonSchemaValidator {
    const ajv = new Ajv2020({ strict: false });
    return {
      compile(schema) {
        const check = ajv.compile(schema);
        return (value) => {
          if (check(value)) return { ok: true, value };
          const issues = (check.errors ?? []).map(({ instancePath, message = "invalid" }) => ({
            path: instancePath.split("/").slice(1),
            message,
          }));
          return { ok: false, issues };
        };
      },
    };
  }

  const schema = { type: "object", properties: { env: { type: "string" } } };

  test("takes the place of the default", () => {
    const { jsonSchema, validate } = compileSchema(schema, "input", { validator: ajvValidator() });
    expect(jsonSchema).toBe(schema);
    expect(validate({ env: "prod" })).toEqual({ ok: true, value: { env: "prod" } });
    expect(validate({ env: 1 })).toEqual({ ok: false, issues: [{ path: ["env"], message: "must be string" }] });
  });

  test("sees no schema over the limits and none that refers elsewhere", () => {
    const validator: JsonSchemaValidator = {
      compile() {
        throw new Error("must not be reached");
      },
    };
    const remote = { $ref: "https://example.com/other.json" };
    expect(() => compileSchema(remote, "input", { validator })).toThrow("references are never fetched");
    expect(() => compileSchema(schema, "input", { validator, limits: { maxSubschemas: 1 } })).toThrow("limit of 1");
    expect(() => compileSchema(schema, "input", { validator })).toThrow("must not be reached");
  });
});

test("a schema that is refused is an SdkError with its cause", () => {
  const compile = (schema: Schema) => () => compileSchema(schema, "input");
  expect(compile({ type: "text" })).toThrow(SdkError);
  expect(compile({ type: "text" })).toThrow(
    expect.objectContaining({ code: "unusable-schema", cause: expect.any(UnusableSchemaError) }),
  );
  expect(compile({ const: 1n })).toThrow(
    expect.objectContaining({ code: "unusable-schema", cause: expect.any(TypeError) }),
  );
});

test.each([0, Number.NaN])("refuses %j as a limit", (limit) => {
  expect(() => checkSchemaLimits({ maxDepth: limit })).toThrow(
    `schemaLimits.maxDepth: expected a number from 1, got ${limit}`,
  );
});

test("accepts limits from 1, and those that are not set", () => {
  expect(() => checkSchemaLimits({ maxDepth: 1, maxSubschemas: Number.POSITIVE_INFINITY })).not.toThrow();
  expect(() => checkSchemaLimits({ maxDepth: undefined } as unknown as SchemaLimits)).not.toThrow();
});
