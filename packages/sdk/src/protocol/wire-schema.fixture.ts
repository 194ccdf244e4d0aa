/**
 * The revisions' own JSON schemas as an independent judge. They lie beside the checkout where CI and this project's
 * machines have them; elsewhere there is no judge and the tests say so.
 */
import { existsSync, readFileSync } from "node:fs";
import { Ajv, type AnySchemaObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Revision } from "./revisions.js";
import { REVISIONS } from "./revisions.js";

const FOLDER: URL = new URL("../../../../../shared/spec/", import.meta.url);

/** One definition of a schema, as far as the tests look into it. */
export interface Definition {
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: { readonly const?: string } };
  readonly anyOf?: readonly { readonly $ref: string }[];
  readonly allOf?: readonly { readonly $ref: string }[];
}

/** One revision's schema. */
export interface WireSchema {
  readonly definitions: { readonly [name: string]: Definition };
  /** Gives the complaints about a value that should match a definition; none for a sound one. */
  judge(definition: string, value: unknown): string[];
}

/** The schema of each revision, or undefined where they do not lie beside the checkout. */
export const wireSchemas: ReadonlyMap<Revision, WireSchema> | undefined = existsSync(FOLDER)
  ? new Map(REVISIONS.map((revision) => [revision, load(revision)]))
  : undefined;

function load(revision: Revision): WireSchema {
  const schema: AnySchemaObject = JSON.parse(readFileSync(new URL(`${revision}.schema.json`, FOLDER), "utf8"));
  const options = { strict: false, validateFormats: false };
  const isDraft7 = String(schema.$schema).includes("draft-07");
  const ajv = isDraft7 ? new Ajv(options) : new Ajv2020(options);
  ajv.addSchema(schema, revision);
  const keyword = isDraft7 ? "definitions" : "$defs";
  return {
    definitions: schema[keyword],
    judge(definition, value) {
      const validate = ajv.getSchema(`${revision}#/${keyword}/${definition}`);
      if (!validate) throw new Error(`${revision} has no definition ${definition}`);
      validate(value);
      return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    },
  };
}
