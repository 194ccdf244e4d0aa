/** Output schemas for revisions in which structured content must be an object. Other values are wrapped as `result`. */

import { dialectOf, idKeywordOf, SUBSCHEMA_KEYWORDS } from "../json-schema/index.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** The property for a value that is no object. */
const WRAPPED_PROPERTY = "result";

const WRAPPED_ROOT = `#/properties/${WRAPPED_PROPERTY}`;

/** An output schema with `type: "object"` at its root: the same one, or one for `{ result: value }`. */
export function wrapOutputSchema(jsonSchema: JsonObject): { schema: JsonObject; isWrapped: boolean } {
  if (jsonSchema.type === "object") return { schema: jsonSchema, isWrapped: false };
  const { $schema, ...rest } = jsonSchema;
  const schema: JsonObject = {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [WRAPPED_PROPERTY]: moved(rest, idKeywordOf(dialectOf(jsonSchema))) },
    required: [WRAPPED_PROPERTY],
  };
  return { schema, isWrapped: true };
}

/** A copy with references adapted to the new root. */
function moved(schema: unknown, idKeyword: string): unknown {
  // A subschema with its own identifier resolves references against that.
  if (!isJsonObject(schema) || hasOwnAddress(schema[idKeyword])) return schema;
  const copy: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    // `$recursiveRef` can name the root of the document only, so it becomes a `$ref`.
    if (keyword === "$recursiveRef") copy.push(["$ref", WRAPPED_ROOT]);
    else if (keyword === "$ref" || keyword === "$dynamicRef") copy.push([keyword, movedReference(value)]);
    else copy.push([keyword, movedSubschemas(keyword, value, idKeyword)]);
  }
  return Object.fromEntries(copy);
}

function movedSubschemas(keyword: string, value: unknown, idKeyword: string): unknown {
  const holder = SUBSCHEMA_KEYWORDS.get(keyword);
  if (holder === undefined) return value;
  if (Array.isArray(value)) return value.map((subschema) => moved(subschema, idKeyword));
  if (!holder.startsWith("map") || !isJsonObject(value)) return moved(value, idKeyword);
  return Object.fromEntries(Object.entries(value).map(([key, subschema]) => [key, moved(subschema, idKeyword)]));
}

function movedReference(reference: unknown): unknown {
  const isPointer = typeof reference === "string" && (reference === "#" || reference.startsWith("#/"));
  return isPointer ? WRAPPED_ROOT + reference.slice(1) : reference;
}

function hasOwnAddress(id: unknown): boolean {
  return typeof id === "string" && !id.startsWith("#");
}
