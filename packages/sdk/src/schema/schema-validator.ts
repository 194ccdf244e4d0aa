/** Checks values against a schema that never goes over the wire, so it need not describe itself as JSON Schema. */
import { SdkError } from "../errors/sdk-error.js";
import type { ValidationResult } from "../json-schema/index.js";
import { compileSchema } from "./compile-schema.js";
import type { Schema } from "./schema.js";
import { isStandardSchema, validateStandard } from "./standard-schema.js";

export type Validate = (value: unknown) => ValidationResult | Promise<ValidationResult>;

const validators = new WeakMap<Schema, Validate>();

/**
 * The validator of a schema, made the first time it is seen, with the default options.
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

/** @throws {SdkError} `invalid-argument` for a schema that validates asynchronously, where there is no time to wait. */
export function validateNow(schema: Schema, value: unknown, owner: string): ValidationResult {
  const outcome = validatorOf(schema)(value);
  if (!(outcome instanceof Promise)) return outcome;
  throw new SdkError("invalid-argument", `${owner}: the schema validates asynchronously, which is not possible here`);
}
