/** Compiles a user's schema, once at registration, into what goes over the wire and what validates at run time. */
import { checkLimit, SdkError } from "../errors/sdk-error.js";
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
