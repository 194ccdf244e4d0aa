/** An extension that the other side declared: its settings, and the `_meta` keys it may be read by. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaOutput, TypedSchema } from "../schema/schema.js";
import { validateNow } from "../schema/schema-validator.js";
import { ANY_OBJECT, type Extension, type MetaKeyDefinition } from "./extension.js";

/** What a `_meta` key holds. Plain JSON Schema has no type to say. */
export type MetaValue<Value extends Schema> = Value extends TypedSchema ? SchemaOutput<Value> : unknown;

export interface PeerExtension<Settings> {
  /** What the other side said with its declaration, as the extension's schema yields it. */
  readonly settings: Settings;
  /**
   * What one of the extension's keys holds in a `_meta`; undefined if it is not there.
   * @throws what the other side sent in its place.
   */
  read<Value extends Schema>(
    key: MetaKeyDefinition<Value>,
    meta: Readonly<JsonObject> | undefined,
  ): MetaValue<Value> | undefined;
}

/** @param refuse makes the error for what the other side got wrong, from where it is and what is wrong there */
export function peerExtension<Settings>(
  extension: Extension,
  schema: Schema | undefined,
  settings: JsonObject,
  refuse: (where: "capabilities" | "_meta", complaint: string) => Error,
): PeerExtension<Settings> {
  const owner = `extension "${extension.id}"`;
  const checked = validateNow(schema ?? ANY_OBJECT, settings, owner);
  if (!checked.ok) {
    throw refuse("capabilities", describeIssues(checked.issues, `capabilities.extensions["${extension.id}"]`));
  }
  return {
    // What the schema yields is what its type says.
    settings: checked.value as Settings,
    read({ key, value }, meta) {
      if (!extension.metaKeys.some((known) => known.key === key)) {
        throw new SdkError("invalid-argument", `${owner} has no _meta key "${key}"`);
      }
      if (meta === undefined || !Object.hasOwn(meta, key)) return undefined;
      const read = validateNow(value, meta[key], owner);
      if (!read.ok) throw refuse("_meta", describeIssues(read.issues, `_meta["${key}"]`));
      return read.value as MetaValue<typeof value>;
    },
  };
}
