/** Compiles a user's schema, once at registration, into the JSON Schema for the wire and a validator. */
import { checkLimit } from "../errors/option-checks.js";
import { SdkError } from "../errors/sdk-error.js";
import {
  compileJsonSchema,
  readSchemaDocument,
  type SchemaLimits,
  UnusableSchemaError,
  type ValidationResult,
} from "../json-schema/index.js";
import { isJsonObject, isPlainObject, type JsonObject } from "../runtime/json.js";
import type { Schema } from "./schema.js";
import { isOldZodSchema, isStandardSchema, jsonSchemaOf, validateStandard } from "./standard-schema.js";

/** Compiles plain JSON Schema. The schemas that it gets keep to the limits and have no reference out of the document. */
export interface JsonSchemaValidator {
  /** @throws SdkError `unusable-schema` */
  compile(schema: JsonObject): (value: unknown) => ValidationResult;
}

export interface CompiledSchema {
  /** The JSON Schema for the wire. */
  readonly jsonSchema: JsonObject;
  /** Returns a promise only if the user's schema does. */
  validate(value: unknown): ValidationResult | Promise<ValidationResult>;
}

export interface CompileSchemaOptions {
  /** Limits of the default validator, and of schemas for any other. @defaultValue those of `SchemaLimits` */
  readonly limits?: SchemaLimits | undefined;
  /** Validates plain JSON Schema. Standard Schemas validate themselves. @defaultValue the validator of this package */
  readonly validator?: JsonSchemaValidator | undefined;
}

/**
 * Compiles a schema for its `input` or its `output`. Plain JSON Schema is not changed.
 * @throws SdkError `invalid-argument` for a value that is no schema, or a schema without JSON Schema;
 *   `unusable-schema` for an unknown dialect, a reference out of the document, or a schema over the limits
 */
export function compileSchema(
  schema: Schema,
  io: "input" | "output",
  options: CompileSchemaOptions = {},
): CompiledSchema {
  if (isStandardSchema(schema)) {
    return { jsonSchema: jsonSchemaOf(schema, io), validate: (value) => validateStandard(schema, value) };
  }
  if (!isJsonObject(schema) || !isPlainObject(schema)) throw noSchema(schema);
  const { limits, validator } = options;
  return { jsonSchema: schema, validate: refusing(() => validatorFor(schema, limits, validator)) };
}

/** @throws {SdkError} `invalid-argument` for a limit below 1, or one that is no number. */
export function checkSchemaLimits(limits: SchemaLimits = {}): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined) checkLimit(`schemaLimits.${name}`, limit);
  }
}

function validatorFor(
  schema: JsonObject,
  limits: SchemaLimits | undefined,
  validator: JsonSchemaValidator | undefined,
): (value: unknown) => ValidationResult {
  if (validator === undefined) return compileJsonSchema(schema, limits);
  readSchemaDocument(schema, limits);
  return validator.compile(schema);
}

/** Runs `compile`, and throws the error of a refused schema as an `SdkError`. */
function refusing<Compiled>(compile: () => Compiled): Compiled {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof UnusableSchemaError)) throw error;
    throw new SdkError("unusable-schema", error.message, { cause: error.cause ?? error });
  }
}

function noSchema(given: unknown): SdkError {
  const complaint = isOldZodSchema(given)
    ? "This Zod schema implements no Standard Schema: use Zod 4.2 or later, or pass JSON Schema"
    : `Expected a Standard Schema or a plain JSON Schema object, got ${kindOf(given)}`;
  return new SdkError("invalid-argument", complaint);
}

function kindOf(given: unknown): string {
  if (!isJsonObject(given)) return typeof given;
  return typeof given.constructor === "function" ? `a ${given.constructor.name}` : "an object of a class";
}
