/** The subschemas of a JSON Schema as a graph, which `schema-document.ts` builds. */
import type { JsonObject } from "../../runtime/json.js";

export interface SchemaNode {
  readonly schema: JsonObject | boolean;
  /** JSON Pointer from the root of the document. A peer decides its length. */
  readonly pointer: string;
  readonly depth: number;
  readonly parent: SchemaNode | undefined;
  readonly children: SchemaChild[];
  readonly references: SchemaReference[];
  /** Set when references are resolved. */
  resource: SchemaResource | undefined;
}

export interface SchemaChild {
  readonly keyword: string;
  /** The key in the keyword's map or list; absent if the keyword holds one schema. */
  readonly key: string | number | undefined;
  /** The end of its pointer: `not`, `anyOf/0`. */
  readonly step: string;
  readonly node: SchemaNode;
}

export interface SchemaReference {
  readonly keyword: "$ref" | "$dynamicRef" | "$recursiveRef";
  readonly target: SchemaNode;
  /** Present for a dynamic reference: the outermost resource in scope that declares this name is the target. */
  readonly dynamicName?: string;
}

/** The part of a document that has one address. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: SchemaNode;
  readonly anchors: Map<string, SchemaNode>;
  /** `$dynamicAnchor` by name; `$recursiveAnchor` has the empty name. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** Every subschema, parents before their children; the first is the root. */
export type SchemaDocument = readonly [SchemaNode, ...SchemaNode[]];
