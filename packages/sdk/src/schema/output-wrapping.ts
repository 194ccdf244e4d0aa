/** Output schemas for revisions in which structured content must be an object: any other value goes in as `result`. */
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { dialectOf, idKeywordOf } from "./dialects.js";
import { subschemaKeywords } from "./keywords.js";

/** The property that carries a value which is no object. */
const wrappedProperty = "result";

const wrappedRoot = `#/properties/${wrappedProperty}`;

/** An output schema with `type: "object"` at its root: the same one, or one for `{ result: value }`. */
export function wrapOutputSchema(jsonSchema: JsonObject): { schema: JsonObject; isWrapped: boolean } {
  if (jsonSchema.type === "object") return { schema: jsonSchema, isWrapped: false };
  const { $schema, ...rest } = jsonSchema;
  const schema: JsonObject = {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [wrappedProperty]: moved(rest, idKeywordOf(dialectOf(jsonSchema))) },
    required: [wrappedProperty],
  };
  return { schema, isWrapped: true };
}

/** A copy whose references still lead where they did, although the root has moved. */
function moved(schema: unknown, idKeyword: string): unknown {
  // A subschema with an address of its own resolves its references against that.
  if (!isJsonObject(schema) || hasOwnAddress(schema[idKeyword])) return schema;
  const copy: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    // `$recursiveRef` can name the root of the document only, so it becomes a reference that can name another place.
    if (keyword === "$recursiveRef") copy.push(["$ref", wrappedRoot]);
    else if (keyword === "$ref" || keyword === "$dynamicRef") copy.push([keyword, movedReference(value)]);
    else copy.push([keyword, movedSubschemas(keyword, value, idKeyword)]);
  }
  return Object.fromEntries(copy);
}

function movedSubschemas(keyword: string, value: unknown, idKeyword: string): unknown {
  const holder = subschemaKeywords.get(keyword);
  if (holder === undefined) return value;
  if (Array.isArray(value)) return value.map((subschema) => moved(subschema, idKeyword));
  if (!holder.startsWith("map") || !isJsonObject(value)) return moved(value, idKeyword);
  return Object.fromEntries(Object.entries(value).map(([key, subschema]) => [key, moved(subschema, idKeyword)]));
}

function movedReference(reference: unknown): unknown {
  const isPointer = typeof reference === "string" && (reference === "#" || reference.startsWith("#/"));
  return isPointer ? wrappedRoot + reference.slice(1) : reference;
}

function hasOwnAddress(id: unknown): boolean {
  return typeof id === "string" && !id.startsWith("#");
}
