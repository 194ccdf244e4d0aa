/**
 * Schemas as users write them, and what their types say about the values.
 * Compiling one is `compile-schema.ts`; nothing here exists at run time.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonObject } from "../protocol/json.js";

/** A Standard Schema that can also describe itself as JSON Schema: Zod, ArkType, Valibot with its adapter. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** Plain JSON Schema: 2020-12 unless its `$schema` names 2019-09, draft-07 or draft-04. */
export interface JsonSchema extends JsonObject {
  "~standard"?: never;
}

/** What a user may hand in wherever a schema is asked for. */
export type Schema = StandardSchema | JsonSchema;

/** What one supplies to be validated. Plain JSON Schema has no type to say. */
export type SchemaInput<S extends Schema> = S extends StandardSchema
  ? NonNullable<S["~standard"]["types"]>["input"]
  : unknown;

/** What validation yields. Plain JSON Schema is taken to describe an object, as it does for arguments and forms. */
export type SchemaOutput<S extends Schema> = S extends StandardSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : JsonObject;
