/** JSON Schemas that describe an object: arguments of tools and prompts, results of methods. */
import { SdkError } from "../errors/sdk-error.js";
import type { PromptArgument } from "../protocol/prompts.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { Schema } from "./schema.js";
import { isLibrarySchema, isStandardSchema, jsonSchemaOf } from "./standard-schema.js";

/**
 * Refuses an object of schemas, which other implementations take for the schema of an object.
 * @throws SdkError `invalid-argument`
 */
export function refuseSchemaMembers(schema: Schema, owner: string): void {
  if (isStandardSchema(schema) || !isJsonObject(schema) || !Object.values(schema).some(isLibrarySchema)) return;
  throw new SdkError(
    "invalid-argument",
    `${owner}: expected a schema, got an object of schemas; make it one, as z.object({ … }) does`,
  );
}

/**
 * @param owner whose schema it is, for the message: `tool "deploy"`
 * @throws SdkError `invalid-argument` unless the root has `type: "object"`
 */
export function requireObjectSchema(jsonSchema: JsonObject, owner: string): void {
  if (jsonSchema.type === "object") return;
  const got = jsonSchema.type === undefined ? "no type" : JSON.stringify(jsonSchema.type);
  throw new SdkError("invalid-argument", `${owner}: the schema's root must have type "object", got ${got}`);
}

/** The arguments of a prompt, one for each property of its schema. */
export function promptArgumentsOf(jsonSchema: JsonObject): PromptArgument[] {
  const properties = isJsonObject(jsonSchema.properties) ? jsonSchema.properties : {};
  const required: unknown[] = Array.isArray(jsonSchema.required) ? jsonSchema.required : [];
  return Object.entries(properties).map(([name, schema]) => {
    const argument: PromptArgument = { name };
    const { title, description } = isJsonObject(schema) ? schema : {};
    if (typeof title === "string") argument.title = title;
    if (typeof description === "string") argument.description = description;
    if (required.includes(name)) argument.required = true;
    return argument;
  });
}

/** Whether the schema of an object says that a property is of other types than string. False if the schema does not tell. */
export function excludesString(schema: Schema, property: string): boolean {
  const { properties } = knownJsonSchema(schema);
  const described = isJsonObject(properties) ? properties[property] : undefined;
  const type = isJsonObject(described) ? described.type : undefined;
  return type !== undefined && !(Array.isArray(type) ? type : [type]).includes("string");
}

/** Keywords by which an object may have members besides its `properties`. */
const OPENING = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"];

/** The members of an object, if its JSON Schema is known and lists all of them. */
export function listedMembers(schema: Schema): readonly string[] | undefined {
  const { properties, additionalProperties = false, ...others } = knownJsonSchema(schema);
  const isOpen = additionalProperties !== false || OPENING.some((keyword) => keyword in others);
  return isOpen || !isJsonObject(properties) ? undefined : Object.keys(properties);
}

function knownJsonSchema(schema: Schema): JsonObject {
  if (!isStandardSchema(schema)) return { ...schema };
  try {
    return jsonSchemaOf(schema, "input");
  } catch {
    // Methods accept schemas that cannot describe themselves.
    return {};
  }
}
