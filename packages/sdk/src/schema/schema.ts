/**
 * Schemas as users write them, and what their types say about the values.
 * Compiling one is `compile-schema.ts`; nothing here exists at run time.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonObject } from "../runtime/json.js";

/** A Standard Schema that can also describe itself as JSON Schema: Zod, ArkType, Valibot with its adapter. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** Plain JSON Schema: 2020-12 unless its `$schema` names 2019-09, draft-07 or draft-04. */
export interface JsonSchema extends JsonObject {
  "~standard"?: never;
}

/** All of a Standard Schema that inference looks at: comparing the rest costs the compiler for every schema in a program. */
export interface TypedSchema {
  readonly "~standard": { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** What a user may hand in wherever a schema is asked for; a Standard Schema is checked whole when it is compiled. */
export type Schema = TypedSchema | JsonSchema;

/** What one supplies to be validated. Plain JSON Schema has no type to say. */
export type SchemaInput<S> = S extends TypedSchema ? NonNullable<S["~standard"]["types"]>["input"] : unknown;

/** What validation yields. Plain JSON Schema is taken to describe an object; where no schema is given, one without members. */
export type SchemaOutput<S> = S extends TypedSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : S extends undefined
    ? Record<string, never>
    : JsonObject;

/** The arguments of a tool or prompt: as `SchemaOutput`, and by the properties of a literal JSON Schema of a flat object. */
export type SchemaArguments<S> = S extends TypedSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : S extends undefined
    ? Record<string, never>
    : S extends { readonly type: "object"; readonly properties: infer Properties }
      ? LiteralOutput<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
      : JsonObject;

type LiteralOutput<Properties, Required> = {
  [Name in keyof Properties as Name extends Required ? Name : never]: LiteralValue<Properties[Name]>;
} & {
  [Name in keyof Properties as Name extends Required ? never : Name]?: LiteralValue<Properties[Name]>;
};

/** One property of a literal JSON Schema. Not recursive: what is inside an object or a list of lists is unknown. */
type LiteralValue<Property> = Property extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Property extends { readonly const: infer Value }
    ? Value
    : Property extends { readonly type: keyof LiteralTypes }
      ? LiteralTypes[Property["type"]]
      : Property extends { readonly type: "array"; readonly items: { readonly type: keyof LiteralTypes } }
        ? LiteralTypes[Property["items"]["type"]][]
        : unknown;

interface LiteralTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: JsonObject;
  null: null;
}
