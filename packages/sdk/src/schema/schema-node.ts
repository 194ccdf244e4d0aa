/** What reading a JSON Schema yields: its subschemas as a graph. Made by `schema-document.ts`. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import { clip } from "./validation.js";

export interface SchemaNode {
  readonly schema: JsonObject | boolean;
  /** JSON Pointer from the root of the document. */
  readonly pointer: string;
  readonly depth: number;
  readonly parent: SchemaNode | undefined;
  readonly children: SchemaChild[];
  /** What its reference keywords point at. */
  readonly targets: Map<string, SchemaNode>;
}

export interface SchemaChild {
  readonly keyword: string;
  /** Where in the keyword's map or list; absent where the keyword holds one schema. */
  readonly key?: string | number;
  readonly node: SchemaNode;
}

/** Every subschema, parents before their children; the first is the root. */
export type SchemaDocument = readonly [SchemaNode, ...SchemaNode[]];

/** The error for a schema that cannot be used, with the place in it. */
export function unusable(pointer: string, problem: string): SdkError {
  return new SdkError("unusable-schema", `The schema at #${clip(pointer)} ${problem}`);
}
