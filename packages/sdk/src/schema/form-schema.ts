/**
 * The forms of elicitation: flat objects with fields that are a string, a number, a boolean or a choice. A server makes forms
 * of schemas and refuses schemas that no form can express. A client reads forms leniently.
 */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues, REFERENCE_KEYWORDS, type ValidationResult } from "../json-schema/index.js";
import type { ElicitSchema, ElicitValue } from "../protocol/elicitation.js";
import { isAtLeast, type Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { type CompileSchemaOptions, compileSchema } from "./compile-schema.js";
import { choicesOf, formRefusal } from "./form-choices.js";
import { formField } from "./form-field.js";
import type { Schema } from "./schema.js";

export interface CompiledForm {
  /** The form for clients of the latest revisions. */
  readonly requestedSchema: ElicitSchema;
  /** Checks the entered content against the whole schema, with defaults filled in. Returns a promise only if the schema does. */
  validate(content: unknown): ValidationResult | Promise<ValidationResult>;
}

const CHOICES_SINCE: Revision = "2025-11-25";

/** Keywords that make fields depend on each other or on the entered content. */
const REFUSED_KEYWORDS: readonly string[] = [
  ...REFERENCE_KEYWORDS,
  ...["allOf", "anyOf", "oneOf", "not", "if"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "patternProperties"],
];

const compiledForms = new WeakMap<Schema, CompiledForm>();

/** Compiles a schema the first time it is seen, with the default options. */
export function compileFormOnce(schema: Schema): CompiledForm {
  const known = compiledForms.get(schema);
  if (known !== undefined) return known;
  const form = compileForm(schema);
  compiledForms.set(schema, form);
  return form;
}

/**
 * Checks that a schema makes a form, and returns the schema. Calling it when the program starts finds mistakes before a tool
 * first asks.
 * @throws {SdkError} `invalid-argument` with the path of a field that no form can have, `unusable-schema`
 *
 * @example
 * const address = defineForm(z.object({ street: z.string(), town: z.string() }));
 * server.tool("ship", {}, async (_args, context) => {
 *   const { content } = await context.elicit({ message: "Where to?", schema: address });
 *   return content ? `To ${content.town}` : "Not shipped";
 * });
 */
export function defineForm<Form extends Schema>(schema: Form): Form {
  compileFormOnce(schema);
  return schema;
}

/**
 * Makes a form of a Standard Schema or JSON Schema.
 * @throws SdkError `invalid-argument` with the field's path for what no form can express, and otherwise as `compileSchema`
 */
export function compileForm(schema: Schema, options: CompileSchemaOptions = {}): CompiledForm {
  const { jsonSchema, validate } = compileSchema(schema, "input", options);
  const requestedSchema = toForm(jsonSchema);
  return {
    requestedSchema,
    validate: (content = {}) => validate(isJsonObject(content) ? applyDefaults(requestedSchema, content) : content),
  };
}

/**
 * The form for a client of a revision. Before 2025-11-25 there were no defaults except for booleans, and titles
 * of choices were written differently.
 * @throws SdkError `invalid-argument` for a choice of several, which came with 2025-11-25
 */
export function downgradeForm(requestedSchema: ElicitSchema, revision: Revision): ElicitSchema {
  if (isAtLeast(revision, CHOICES_SINCE)) return requestedSchema;
  const fields = Object.entries(requestedSchema.properties).map(([name, field]) => [name, downgradeField(name, field)]);
  const { $schema, ...known } = requestedSchema;
  return { ...known, properties: Object.fromEntries(fields) };
}

/** The entered content, with the form's defaults for missing fields. Defaults that no field can have are ignored. */
export function applyDefaults(requestedSchema: ElicitSchema, content: JsonObject): JsonObject {
  const missing = defaultsOf(requestedSchema).filter(
    ([name, value]) => !Object.hasOwn(content, name) && isEntry(value),
  );
  return missing.length === 0 ? content : Object.fromEntries([...Object.entries(content), ...missing]);
}

/**
 * Makes the validator for a peer's form. Keywords that the protocol does not define for forms are checked too.
 * @throws SdkError `unusable-schema` for a form that cannot be checked
 */
export function checkOf(requestedSchema: ElicitSchema): (content: JsonObject) => ValidationResult {
  const { validate } = compileSchema({ ...requestedSchema }, "input");
  return (content) => validate(content) as ValidationResult; // plain JSON Schema never waits
}

function toForm(jsonSchema: JsonObject): ElicitSchema {
  if (jsonSchema.type !== "object") throw formRefusal([], "a form is an object with a property for each field");
  const keyword = REFUSED_KEYWORDS.find((key) => jsonSchema[key] !== undefined);
  if (keyword !== undefined) throw formRefusal([], `a form has no "${keyword}"`);
  const { additionalProperties, properties, required: needed, ...others } = jsonSchema;
  if (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0) {
    throw formRefusal([], "a form has a fixed set of fields");
  }
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const form: ElicitSchema = {
    ...others,
    ...(additionalProperties !== undefined && { additionalProperties }),
    type: "object",
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, formField(name, schema)])),
  };
  const defaults = checkOf(form)(Object.fromEntries(defaultsOf(form)));
  if (!defaults.ok) {
    const issues = defaults.issues.map(({ path, message }) => ({
      path,
      message: `the default does not fit: ${message}`,
    }));
    throw new SdkError("invalid-argument", describeIssues(issues, "schema"));
  }
  const required = requiredFields(needed, form);
  return required.length === 0 ? form : { ...form, required };
}

function requiredFields(required: unknown, { properties }: ElicitSchema): string[] {
  const names: string[] = Array.isArray(required) ? required.map(String) : [];
  const stray = names.find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined) throw formRefusal([stray], "is required but not among the properties");
  return names;
}

function downgradeField(name: string, field: JsonObject): JsonObject {
  if (field.type === "boolean") return field;
  if (field.type === "array") throw formRefusal([name], `a choice of several needs revision ${CHOICES_SINCE} or later`);
  const { default: unknownThen, oneOf, ...known } = field;
  const choices = choicesOf({ oneOf });
  if (choices === undefined) return known;
  const enumNames = choices.map(({ value, label = value }) => label);
  return { ...known, enum: choices.map(({ value }) => value), enumNames };
}

function defaultsOf({ properties }: ElicitSchema): [name: string, value: unknown][] {
  return Object.entries(properties)
    .filter(([, field]) => field.default !== undefined)
    .map(([name, field]) => [name, field.default]);
}

function isEntry(value: unknown): value is ElicitValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}
