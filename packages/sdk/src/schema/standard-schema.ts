/** Standard Schemas: their JSON Schema, and their validation as a `ValidationResult`. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { SdkError } from "../errors/sdk-error.js";
import type { ValidationIssue, ValidationResult } from "../json-schema/index.js";
import { isJsonObject, isPlainObject, type JsonObject } from "../runtime/json.js";
import type { StandardSchema } from "./schema.js";

/** Whether a schema is a Standard Schema rather than plain JSON Schema. ArkType's schemas are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") &&
    "~standard" in schema &&
    typeof schema["~standard"] === "object" &&
    schema["~standard"] !== null
  );
}

/** Whether it is a schema of Zod before 3.24, which implements no Standard Schema. */
export function isOldZodSchema(value: unknown): boolean {
  return isJsonObject(value) && !isPlainObject(value) && "_def" in value;
}

/** Whether it is a schema of some library, usable or not, rather than plain JSON Schema. */
export function isLibrarySchema(value: unknown): boolean {
  return isStandardSchema(value) || isOldZodSchema(value);
}

/**
 * The JSON Schema of a Standard Schema, for its input or its output.
 * @throws SdkError `invalid-argument` when the schema cannot describe itself, `unusable-schema` when that fails
 */
export function jsonSchemaOf(schema: StandardSchema, io: "input" | "output"): JsonObject {
  const { vendor, jsonSchema }: Partial<StandardSchema["~standard"]> = schema["~standard"];
  if (typeof jsonSchema?.[io] !== "function") {
    throw new SdkError(
      "invalid-argument",
      `This ${vendor} schema cannot describe itself as JSON Schema: ${fixFor(vendor)}`,
    );
  }
  let described: unknown;
  try {
    described = jsonSchema[io]({ target: "draft-2020-12" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SdkError("unusable-schema", `This ${vendor} schema has no JSON Schema for its ${io}: ${reason}`, {
      cause,
    });
  }
  if (!isJsonObject(described)) {
    throw new SdkError(
      "unusable-schema",
      `This ${vendor} schema describes its ${io} with ${typeof described}, not an object`,
    );
  }
  return described;
}

/** Validates, and waits only if the schema does. */
export function validateStandard(schema: StandardSchema, value: unknown): ValidationResult | Promise<ValidationResult> {
  const outcome = schema["~standard"].validate(value);
  return outcome instanceof Promise ? outcome.then(toResult) : toResult(outcome);
}

function toResult(outcome: StandardSchemaV1.Result<unknown>): ValidationResult {
  return outcome.issues === undefined
    ? { ok: true, value: outcome.value }
    : { ok: false, issues: Array.from(outcome.issues, toIssue) };
}

/** Uses `Array.from`, because some libraries have array classes that `map` would keep. */
function toIssue({ path = [], message }: StandardSchemaV1.Issue): ValidationIssue {
  return {
    path: Array.from(path, (step) => {
      const key = typeof step === "object" ? step.key : step;
      return typeof key === "symbol" ? String(key) : key;
    }),
    message,
  };
}

function fixFor(vendor: string | undefined): string {
  if (vendor === "valibot") return "wrap it with toStandardJsonSchema() from @valibot/to-json-schema";
  if (vendor === "zod") return "use Zod 4.2 or later";
  if (vendor === "arktype") return "use ArkType 2.1.28 or later";
  return "use a library that implements Standard JSON Schema (~standard.jsonSchema), or pass plain JSON Schema";
}
