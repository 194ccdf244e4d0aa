/** JSON Schemas: our validator against two others, heard only where those two agree; and schemas that make no sense. */
import { validate as judgeByWorker, type SchemaDraft } from "@cfworker/json-schema";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidationResult } from "../../../packages/sdk/src/json-schema/index.js";
import { compileJsonSchema, UnusableSchemaError } from "../../../packages/sdk/src/json-schema/index.js";
import { isJsonObject, type JsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { mutateJson } from "../mutate-json.js";
import { randomSchema, randomValue } from "../random-schema.js";
import { demand, field, type Target } from "../target.js";

const settings = { strict: false, validateSchema: false, validateFormats: false, logger: false } as const;

const DIALECTS: Readonly<Record<string, { uri: string; draft: SchemaDraft; create: () => Ajv }>> = {
  "2020-12": {
    uri: "https://json-schema.org/draft/2020-12/schema",
    draft: "2020-12",
    create: () => new Ajv2020(settings),
  },
  "2019-09": {
    uri: "https://json-schema.org/draft/2019-09/schema",
    draft: "2019-09",
    create: () => new Ajv2019(settings),
  },
  "draft-07": {
    uri: "http://json-schema.org/draft-07/schema#",
    draft: "7",
    create: () => new Ajv({ ...settings, ignoreKeywordsWithRef: true }),
  },
};

export const schemas: Target = {
  name: "schemas",
  share: 12,
  maxMs: 500,
  outcomes: ["all agree", "others differ", "unusable", "unjudged"],
  generate(random) {
    const dialect = random.pick(Object.keys(DIALECTS));
    const schema = randomSchema(random, dialect);
    const isSound = random.below(4) > 0;
    return {
      dialect: isSound ? dialect : "",
      schema: JSON.stringify(isSound ? schema : mutateJson(random, schema)),
      values: JSON.stringify(random.list(4, 12, () => randomValue(random, 3))),
    };
  },
  check(input) {
    const [schema, values] = [readJson(field(input, "schema")), readJson(field(input, "values"))];
    if (!isJsonObject(schema) || !Array.isArray(values)) return "no schema";
    const dialect = DIALECTS[field(input, "dialect")];
    const whole: JsonObject = dialect ? { $schema: dialect.uri, ...schema } : schema;
    const before = JSON.stringify(whole);
    const validate = compile(whole);
    if (validate === undefined) return "unusable";
    const results = values.map((value: unknown) => checkResult(validate(value), value));
    demand(JSON.stringify(whole) === before, "leaves the schema as it is", () => before);
    if (dialect === undefined || isMisjudged(before)) return "unjudged";
    const others = [
      judge(() => ajvVerdicts(dialect.create(), whole, values)),
      judge(() => workerVerdicts(dialect.draft, whole, values)),
    ];
    let isDisputed = false;
    for (const [index, result] of results.entries()) {
      const [one, other] = others.map((verdicts) => verdicts?.[index]);
      if (one === undefined || one !== other) isDisputed = true;
      else demand(result === one, "agrees where two others do", () => `${result} for ${JSON.stringify(values[index])}`);
    }
    return isDisputed ? "others differ" : "all agree";
  },
};

function compile(schema: JsonObject): ((value: unknown) => ValidationResult) | undefined {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    const isKnown = error instanceof UnusableSchemaError;
    demand(isKnown, "refuses schemas as unusable", () => String(error instanceof Error ? error.stack : error));
    demand((error as Error).message.length < 1_000, "keeps its complaint short", () => (error as Error).message);
    return undefined;
  }
}

function checkResult(result: ValidationResult, value: unknown): boolean {
  if (result.ok) demand(result.value === value, "hands the value on as it is", () => JSON.stringify(value));
  else demand(result.issues.length > 0, "says what is wrong", () => JSON.stringify(value));
  return result.ok;
}

/** Both others count what `contains` finds as evaluated in 2019-09, where only later drafts do. */
function isMisjudged(text: string): boolean {
  return text.includes("2019-09") && text.includes('"contains"') && text.includes('"unevaluatedItems"');
}

/** Undefined where the judge itself fails. */
function judge(verdicts: () => boolean[]): boolean[] | undefined {
  try {
    return verdicts();
  } catch {
    return undefined;
  }
}

function ajvVerdicts(ajv: Ajv, schema: JsonObject, values: readonly unknown[]): boolean[] {
  const check = ajv.compile(schema);
  return values.map((value) => check(value));
}

function workerVerdicts(draft: SchemaDraft, schema: JsonObject, values: readonly unknown[]): boolean[] {
  return values.map((value) => judgeByWorker(value, schema, draft).valid);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
