/** Compiles a user's schema, once at registration, into what goes over the wire and what validates at run time. */
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { defaultJsonSchemaValidator, type JsonSchemaValidator } from "./json-schema-validator.js";
import type { Schema } from "./schema.js";
import { readSchemaDocument, type SchemaLimits } from "./schema-document.js";
import { isStandardSchema, jsonSchemaOf, validateStandard } from "./standard-schema.js";
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
  if (!isJsonObject(schema)) {
    throw new SdkError("invalid-argument", `Expected a Standard Schema or a JSON Schema object, got ${typeof schema}`);
  }
  const { limits, validator } = options;
  if (validator === undefined) {
    return { jsonSchema: schema, validate: defaultJsonSchemaValidator(limits).compile(schema) };
  }
  readSchemaDocument(schema, limits);
  return { jsonSchema: schema, validate: validator.compile(schema) };
}
