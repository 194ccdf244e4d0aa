/** Compiles a user's schema, once at registration, into what goes over the wire and what validates at run time. */
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject, isPlainObject, type JsonObject } from "../protocol/json.js";
import { defaultJsonSchemaValidator, type JsonSchemaValidator } from "./json-schema-validator.js";
import type { Schema } from "./schema.js";
import { readSchemaDocument, type SchemaLimits } from "./schema-document.js";
import { isOldZodSchema, isStandardSchema, jsonSchemaOf, validateStandard } from "./standard-schema.js";
import type { ValidationResult } from "./validation.js";

export interface CompiledSchema {
  /** As it goes over the wire. */
  readonly jsonSchema: JsonObject;
  /** Returns a promise only where the user's schema does. */
  validate(value: unknown): ValidationResult | Promise<ValidationResult>;
}

export interface CompileSchemaOptions {
  readonly limits?: SchemaLimits | undefined;
  /** Validates plain JSON Schema in place of the default. Standard Schemas validate themselves. */
  readonly validator?: JsonSchemaValidator | undefined;
}

/**
 * Compiles a schema for what it takes (`input`) or what it yields (`output`). Plain JSON Schema is kept as it is.
 * @throws SdkError `invalid-argument` for what is no schema or cannot describe itself as JSON Schema;
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
  if (validator === undefined) {
    return { jsonSchema: schema, validate: defaultJsonSchemaValidator(limits).compile(schema) };
  }
  readSchemaDocument(schema, limits);
  return { jsonSchema: schema, validate: validator.compile(schema) };
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
