import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileForm } from "./form-schema.js";

const $schema = "https://json-schema.org/draft/2020-12/schema";
/** Libraries have patterns of their own for formats. */
const pattern = expect.any(String);

describe("Zod", () => {
  test("makes a form of every kind of field", () => {
    const schema = z.strictObject({
      name: z.string().min(2).max(20).describe("Your name").meta({ title: "Name" }),
      code: z.string().regex(/^x/).startsWith("x").optional(),
      mail: z.email(),
      site: z.url().optional(),
      born: z.iso.date().optional(),
      at: z.iso.datetime().optional(),
      size: z.int().default(3),
      count: z.int().positive().optional(),
      rate: z.number().min(0).max(1).optional(),
      agreed: z.literal(true),
      loud: z.boolean().default(false),
      color: z.enum(["red", "green"]).default("red"),
      shape: z.union([z.literal("r").meta({ title: "Round" }), z.literal("s").describe("Square")]),
      tags: z
        .array(z.enum(["a", "b"]))
        .min(1)
        .max(2),
      marks: z.array(z.union([z.literal("a").meta({ title: "A" }), z.literal("b")])).optional(),
    });
    expect(compileForm(schema).requestedSchema).toEqual({
      $schema,
      type: "object",
      properties: {
        name: { type: "string", title: "Name", description: "Your name", minLength: 2, maxLength: 20 },
        code: { type: "string", allOf: [{ pattern: "^x" }, { pattern: "^x.*" }] },
        mail: { type: "string", format: "email", pattern },
        site: { type: "string", format: "uri" },
        born: { type: "string", format: "date", pattern },
        at: { type: "string", format: "date-time", pattern },
        size: { type: "integer", default: 3 },
        count: { type: "integer", minimum: 1 },
        rate: { type: "number", minimum: 0, maximum: 1 },
        agreed: { type: "boolean", const: true },
        loud: { type: "boolean", default: false },
        color: { type: "string", enum: ["red", "green"], default: "red" },
        shape: {
          type: "string",
          oneOf: [
            { const: "r", title: "Round" },
            { const: "s", title: "Square" },
          ],
        },
        tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
        marks: {
          type: "array",
          items: {
            anyOf: [
              { const: "a", title: "A" },
              { const: "b", title: "b" },
            ],
          },
        },
      },
      required: ["name", "mail", "agreed", "shape", "tags"],
      additionalProperties: false,
    });
  });

  test("checks what the form cannot say, and yields its own output", async () => {
    const { validate } = compileForm(
      z
        .object({ from: z.iso.date(), to: z.iso.date(), nights: z.string().transform(Number).optional() })
        .refine(({ from, to }) => from < to, { path: ["to"], message: "must be later" }),
    );
    const stay = { from: "2026-07-01", to: "2026-07-03" };
    expect(validate({ ...stay, nights: "2" })).toEqual({ ok: true, value: { ...stay, nights: 2 } });
    expect(validate({ from: stay.to, to: stay.from })).toEqual({
      ok: false,
      issues: [{ path: ["to"], message: "must be later" }],
    });
    const { validate: slowly } = compileForm(z.object({ a: z.string().refine(async (a) => a === "x") }));
    expect(await slowly({ a: "y" })).toMatchObject({ ok: false, issues: [{ path: ["a"] }] });
  });

  test("answers the same whether or not the client filled in the defaults", () => {
    const { validate } = compileForm(z.object({ size: z.int().default(3), name: z.string().meta({ default: "x" }) }));
    const value = { size: 3, name: "x" };
    expect(validate({})).toEqual({ ok: true, value });
    expect(validate(value)).toEqual({ ok: true, value });
    expect(validate({ size: 1.5 })).toMatchObject({ ok: false, issues: [{ path: ["size"] }] });
  });

  test.each([
    [z.object({ x: z.string() }), "a form has no nested objects"],
    [z.record(z.string(), z.string()), "a form has no nested objects"],
    [z.array(z.object({ x: z.string() })), "a form has no arrays of objects"],
    [z.tuple([z.string()]), "a form has no tuples"],
    [z.union([z.string(), z.number()]), "a form has no unions"],
    [z.string().nullable(), "a form has no nullable fields"],
    [z.enum(["a"]).nullable(), "a form has no nullable fields"],
    [z.string().meta({ id: "Named" }), "a form has no references"],
    [z.enum({ one: 1, two: 2 }), "a form's choices are strings"],
    [z.unknown(), "a field needs a type"],
    [z.never(), 'a form has no "not"'],
  ])("is refused with the path: %#", (address, message) => {
    expect(() => compileForm(z.object({ address }))).toThrow(`schema.address: ${message}`);
  });

  test("is refused where it is no object", () => {
    const forms = [z.string(), z.union([z.object({}), z.object({ a: z.string() })]), z.array(z.string())];
    for (const form of forms) expect(() => compileForm(form)).toThrow("schema: a form is an object");
    expect(() => compileForm(z.record(z.string(), z.string()))).toThrow("schema: a form has a fixed set of fields");
  });
});

test("Valibot makes forms", () => {
  const schema = v.object({
    name: v.pipe(v.string(), v.minLength(2), v.title("Name"), v.description("Your name")),
    mail: v.pipe(v.string(), v.email()),
    born: v.optional(v.pipe(v.string(), v.isoDate())),
    size: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 3),
    color: v.picklist(["red", "green"]),
    shape: v.union([v.literal("r"), v.literal("s")]),
    tags: v.pipe(v.array(v.picklist(["a", "b"])), v.minLength(1)),
  });
  const { requestedSchema, validate } = compileForm(toStandardJsonSchema(schema));
  expect(requestedSchema).toEqual({
    $schema,
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "Your name", minLength: 2 },
      mail: { type: "string", format: "email" },
      born: { type: "string", format: "date" },
      size: { type: "integer", minimum: 1, default: 3 },
      color: { type: "string", enum: ["red", "green"] },
      shape: { type: "string", enum: ["r", "s"] },
      tags: { type: "array", minItems: 1, items: { type: "string", enum: ["a", "b"] } },
    },
    required: ["name", "mail", "color", "shape", "tags"],
  });
  const entered = { name: "Jo", mail: "jo@x.example", color: "red", shape: "r", tags: ["a"] };
  expect(validate(entered)).toEqual({ ok: true, value: { ...entered, size: 3 } });
  expect(validate({ ...entered, color: "blue" })).toMatchObject({ ok: false, issues: [{ path: ["color"] }] });
  const nullable = toStandardJsonSchema(v.object({ a: v.nullable(v.string()) }));
  expect(() => compileForm(nullable)).toThrow("schema.a: a form has no nullable fields");
});

test("ArkType makes forms", () => {
  const schema = type({
    name: "2 <= string <= 20",
    mail: "string.email",
    "site?": "string.url",
    size: "number.integer = 3",
    "rate?": "0 <= number < 1",
    agreed: "true",
    color: "'green' | 'red'",
    tags: "1 <= ('a' | 'b')[] <= 2",
  });
  const { requestedSchema, validate } = compileForm(schema);
  expect(requestedSchema).toEqual({
    $schema,
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, maxLength: 20 },
      mail: { type: "string", format: "email", pattern },
      site: { type: "string", format: "uri" },
      size: { type: "integer" },
      rate: { type: "number", minimum: 0, maximum: 1, exclusiveMaximum: 1 },
      agreed: { type: "boolean", const: true },
      color: { type: "string", enum: ["green", "red"] },
      tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
    },
    required: ["agreed", "color", "mail", "name", "tags"],
  });
  const entered = { name: "Jo", mail: "jo@x.example", agreed: true, color: "red", tags: ["a"] };
  expect(validate(entered)).toEqual({ ok: true, value: { ...entered, size: 3 } });
  expect(validate({ ...entered, agreed: false })).toMatchObject({ ok: false, issues: [{ path: ["agreed"] }] });
  expect(() => compileForm(type({ a: { b: "string" } }))).toThrow("schema.a: a form has no nested objects");
});
