/**
 * The types of schemas that users write, and of the values that they describe. `compile-schema.ts` compiles them.
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

/** The part of a Standard Schema that type inference needs. Comparing the rest would slow down the compiler. */
export interface TypedSchema {
  readonly "~standard": { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** A schema in an option or argument. A Standard Schema is checked as a whole when it is compiled. */
export type Schema = TypedSchema | JsonSchema;

/** The type of values before validation; `unknown` for plain JSON Schema. */
export type SchemaInput<S> = S extends TypedSchema ? NonNullable<S["~standard"]["types"]>["input"] : unknown;

/** The type of values after validation: `JsonObject` for plain JSON Schema, and an object without members for no schema. */
export type SchemaOutput<S> = S extends TypedSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : S extends undefined
    ? Record<string, never>
    : JsonObject;

/** The arguments of a tool or prompt: `SchemaOutput`, or the properties of a literal JSON Schema of a flat object. */
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

/** One property of a literal JSON Schema. The type is not recursive: the inside of objects and of lists of lists is unknown. */
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
