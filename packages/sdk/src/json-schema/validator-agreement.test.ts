import { validate as judgeByWorker, type SchemaDraft } from "@cfworker/json-schema";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { compileJsonSchema } from "./compile-json-schema.js";

/** Says nothing where it cannot cope. */
type Judge = (schema: JsonObject, value: unknown) => boolean | undefined;

/** A judge that generates code takes its time on a busy machine. */
const deadlineMs = 60_000;

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, "", "a", "ab", "b1", "😀", 0, 1, 2.5, -0.5),
  fc.integer({ min: -3, max: 3 }),
);

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab", "c"), tie("value"), { maxKeys: 4 }).map((map) => ({ ...map })),
  ),
})).value;

/** Some of the keywords, each with what it may hold. */
function some(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(keywords, { requiredKeys: [] });
}

/** Random schemas; `extra` are keywords of a dialect, which hold other schemas. */
function schemas(extra: (schema: fc.Arbitrary<JsonObject | boolean>) => Record<string, fc.Arbitrary<unknown>>) {
  return fc.letrec<{ schema: JsonObject; any: JsonObject | boolean }>((tie) => {
    const any = tie("any");
    const list = fc.array(any, { minLength: 1, maxLength: 3 });
    return {
      any: fc.oneof({ weight: 1, arbitrary: fc.boolean() }, { weight: 5, arbitrary: tie("schema") }),
      schema: fc.oneof(
        { maxDepth: 3 },
        some({
          type: fc.constantFrom("string", "number", "integer", "object", "array", "boolean", "null", [
            "string",
            "null",
          ]),
          enum: fc.uniqueArray(fc.oneof(scalar, fc.constantFrom([1], { a: 1 })), { minLength: 1, maxLength: 4 }),
          minimum: fc.integer({ min: -2, max: 2 }),
          maximum: fc.integer({ min: -2, max: 2 }),
          multipleOf: fc.constantFrom(0.5, 1, 2),
        }),
        some({
          minLength: fc.nat(2),
          maxLength: fc.nat(2),
          pattern: fc.constantFrom("^a", "b$", "\\d", "^(a|b)*$", "^[a-z]+[0-9]*$"),
          minItems: fc.nat(2),
          maxItems: fc.nat(3),
          uniqueItems: fc.boolean(),
          required: fc.constantFrom(["a"], ["a", "b"]),
          minProperties: fc.nat(2),
          maxProperties: fc.nat(2),
        }),
        some({
          properties: some({ a: any, b: any }),
          additionalProperties: any,
          patternProperties: some({ "^a": any, b$: any }),
          items: any,
        }),
        some({
          allOf: list,
          anyOf: list,
          oneOf: list,
          not: any,
          $ref: fc.constantFrom("#/definitions/s", "#/definitions/t"),
        }),
        some(extra(any)),
      ),
    };
  }).schema;
}

function agree(dialect: string, judges: Record<string, Judge>, schema: fc.Arbitrary<JsonObject>): void {
  let good = 0;
  let bad = 0;
  let verdicts = 0;
  const definitions = {
    s: { type: "string" },
    t: { properties: { a: { type: "integer" } }, items: { $ref: "#/definitions/s" } },
  };
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 12, maxLength: 12 }), (body, values) => {
      const whole: JsonObject = { $schema: dialect, ...body, definitions };
      const before = structuredClone(whole);
      const validate = compileJsonSchema(whole);
      for (const candidate of values) {
        const result = validate(candidate);
        for (const [name, judge] of Object.entries(judges)) {
          const verdict = judge(whole, candidate);
          if (verdict === undefined) continue;
          verdicts += 1;
          expect(result.ok, `${name} on ${JSON.stringify(candidate)}`).toBe(verdict);
        }
        if (result.ok) good += 1;
        else {
          bad += 1;
          expect(result.issues.length).toBeGreaterThan(0);
        }
      }
      expect(whole).toEqual(before);
    }),
    // The judges have faults of their own, and a run must not fail by stumbling over one that is not listed yet.
    { numRuns: 120, seed: 784933304 },
  );
  expect(Math.min(good, bad)).toBeGreaterThan(100);
  expect(verdicts).toBeGreaterThan(500);
}

/** Every item counts as evaluated beside `contains`, and an empty list passes it beside a list of schemas. */
const containsFault =
  /"contains".*(?:"unevaluatedItems"|"items":\[|"prefixItems")|(?:"unevaluatedItems"|"items":\[|"prefixItems").*"contains"/;

/** A condition that is not met evaluates members all the same. */
const conditionFault = /"if".*"unevaluated|"unevaluated.*"if"/;

/** A judge that is not heard on schemas which it gets wrong, by the official test suite. */
function except(faults: readonly RegExp[], judge: Judge): Judge {
  return (schema, candidate) => {
    const text = JSON.stringify(schema);
    return faults.some((fault) => fault.test(text)) ? undefined : judge(schema, candidate);
  };
}

/** A judge that compiles each schema once. */
function ajvJudge(create: () => { compile(schema: JsonObject): (value: unknown) => unknown }): Judge {
  let last: JsonObject | undefined;
  let check: (value: unknown) => unknown = () => false;
  return except([containsFault, conditionFault], (schema, candidate) => {
    if (schema !== last) check = create().compile(schema);
    last = schema;
    try {
      return check(candidate) === true;
    } catch (error) {
      // The code it generates for some schemas names variables that it does not declare.
      if (error instanceof ReferenceError) return undefined;
      throw error;
    }
  });
}

function workerJudge(draft: SchemaDraft): Judge {
  return (schema, candidate) => judgeByWorker(candidate, schema, draft).valid;
}

const settings = { strict: false, validateSchema: false, validateFormats: false, logger: false } as const;

const counted = { minContains: fc.nat(2), maxContains: fc.nat(2) };

/** `then` as a plain key would make an object look like a promise to a reader. */
function conditional(any: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, any]));
}

const since6 = {
  const: fc.oneof(scalar, fc.constantFrom([1], { a: 1 })),
  exclusiveMinimum: fc.integer({ min: -2, max: 2 }),
  exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
  contains: fc.constantFrom({ type: "integer" }, { const: "a" }, { minimum: 1 }),
  propertyNames: fc.constantFrom({ maxLength: 1 }, { const: "a" }, { pattern: "^a" }),
};

const since2019 = (any: fc.Arbitrary<unknown>) => ({
  ...since6,
  ...conditional(any),
  ...counted,
  dependentRequired: fc.constantFrom({ a: ["b"] }, { b: ["a", "c"] }),
  dependentSchemas: some({ a: any, b: any }),
  unevaluatedProperties: any,
});

test("2020-12 is read as two others read it", { timeout: deadlineMs }, () => {
  const judges = { ajv: ajvJudge(() => new Ajv2020(settings)) };
  const schema = schemas((any) => ({
    ...since2019(any),
    prefixItems: fc.array(any, { minLength: 1, maxLength: 2 }),
    unevaluatedItems: any,
  }));
  agree("https://json-schema.org/draft/2020-12/schema", { ...judges, worker: workerJudge("2020-12") }, schema);
});

test("2019-09 is read as two others read it", { timeout: deadlineMs }, () => {
  const judges = { ajv: ajvJudge(() => new Ajv2019(settings)) };
  const schema = schemas((any) => ({
    ...since2019(any),
    items: fc.array(any, { minLength: 1, maxLength: 2 }),
    additionalItems: any,
    unevaluatedItems: any,
  }));
  agree(
    "https://json-schema.org/draft/2019-09/schema",
    { ...judges, worker: except([containsFault], workerJudge("2019-09")) },
    schema,
  );
});

test("draft-07 is read as two others read it", { timeout: deadlineMs }, () => {
  const judges = { ajv: ajvJudge(() => new Ajv({ ...settings, ignoreKeywordsWithRef: true })) };
  const schema = schemas((any) => ({
    ...since6,
    ...conditional(any),
    items: fc.array(any, { minLength: 1, maxLength: 2 }),
    additionalItems: any,
    dependencies: some({ a: any, b: fc.constantFrom(["a"], ["a", "c"]) }),
  }));
  agree("http://json-schema.org/draft-07/schema#", { ...judges, worker: workerJudge("7") }, schema);
});

test("draft-04 is read as another reads it", { timeout: deadlineMs }, () => {
  const schema = schemas((any) => ({
    minimum: fc.integer({ min: -2, max: 2 }),
    exclusiveMinimum: fc.boolean(),
    maximum: fc.integer({ min: -2, max: 2 }),
    exclusiveMaximum: fc.boolean(),
    items: fc.array(any, { minLength: 1, maxLength: 2 }),
    additionalItems: any,
    dependencies: some({ a: any, b: fc.constantFrom(["a"], ["a", "c"]) }),
  }));
  agree("http://json-schema.org/draft-04/schema#", { worker: workerJudge("4") }, schema);
});
