/** The supported JSON Schema dialects. `$schema` names the dialect of a schema. */
import type { JsonObject } from "../runtime/json.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";
import { shown } from "./validation-result.js";

export type Dialect = "2020-12" | "2019-09" | "draft-07" | "draft-04";

const DIALECTS: ReadonlyMap<unknown, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  ["json-schema.org/draft-04/schema", "draft-04"],
]);

/** The dialect of a schema; `undefined` for an unknown one. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const { $schema } = schema;
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

/** @throws UnusableSchemaError for an unknown dialect */
export function requireDialect(schema: JsonObject): Dialect {
  const dialect = dialectOf(schema);
  if (dialect !== undefined) return dialect;
  const known = [...new Set(DIALECTS.values())].join(", ");
  throw new UnusableSchemaError(
    `The schema is written in the dialect ${shown(schema.$schema)}; supported are ${known}`,
  );
}

/** The keyword that holds the identifier of a schema. */
export function idKeywordOf(dialect: Dialect | undefined): "$id" | "id" {
  return dialect === "draft-04" ? "id" : "$id";
}

/** Whether the dialect ignores all keywords beside a `$ref`. */
export function ignoresReferenceSiblings(dialect: Dialect | undefined): boolean {
  return dialect === "draft-07" || dialect === "draft-04";
}
