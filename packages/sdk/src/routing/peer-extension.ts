/** An extension that the peer declared: its settings, and a reader for its `_meta` keys. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaOutput, TypedSchema } from "../schema/schema.js";
import { validateNow } from "../schema/schema-validator.js";
import { ANY_OBJECT, type Extension, type MetaKeyDefinition } from "./extension.js";

/** The type of a `_meta` value; unknown for plain JSON Schema, which has no type. */
export type MetaValue<Value extends Schema> = Value extends TypedSchema ? SchemaOutput<Value> : unknown;

/** An extension as the other side declared it. */
export interface PeerExtension<Settings> {
  /** The settings that the peer declared, as parsed by the extension's schema. */
  readonly settings: Settings;
  /**
   * Reads one of the extension's keys from a `_meta`; undefined if the key is absent.
   * @throws {SdkError} `invalid-argument` for a key that the extension does not define.
   * @throws the error that `refuse` makes, for a value that does not match the key's schema.
   */
  read<Value extends Schema>(
    key: MetaKeyDefinition<Value>,
    meta: Readonly<JsonObject> | undefined,
  ): MetaValue<Value> | undefined;
}

/** @param refuse makes the error for settings or a `_meta` value of the peer that do not match their schema */
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
    // A schema's output has the type that the schema declares.
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
