/** Validators for schemas that are never sent, so that Standard Schemas without JSON Schema work too. */
import { SdkError } from "../errors/sdk-error.js";
import type { ValidationResult } from "../json-schema/index.js";
import { compileSchema } from "./compile-schema.js";
import type { Schema } from "./schema.js";
import { isStandardSchema, validateStandard } from "./standard-schema.js";

export type Validate = (value: unknown) => ValidationResult | Promise<ValidationResult>;

const validators = new WeakMap<Schema, Validate>();

/**
 * The validator of a schema, with the default options. It is made once for each schema object.
 * @throws {SdkError} as `compileSchema`
 */
export function validatorOf(schema: Schema): Validate {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validate: Validate = isStandardSchema(schema)
    ? (value) => validateStandard(schema, value)
    : compileSchema(schema, "input").validate;
  validators.set(schema, validate);
  return validate;
}

/** @throws {SdkError} `invalid-argument` for a schema that validates asynchronously. */
export function validateNow(schema: Schema, value: unknown, owner: string): ValidationResult {
  const outcome = validatorOf(schema)(value);
  if (!(outcome instanceof Promise)) return outcome;
  throw new SdkError("invalid-argument", `${owner}: the schema validates asynchronously, which is not possible here`);
}
