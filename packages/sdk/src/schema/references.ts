/** References inside one schema document: `$id` and anchors found, `$ref` and its kin resolved to subschemas. */
import { inPlaceKeywords, referenceKeywords } from "./keywords.js";
import { type SchemaDocument, type SchemaNode, unusable } from "./schema-node.js";
import { clip } from "./validation.js";

/** Stands for the document's own address where it has no `$id`. */
const documentUri = "schema:///";

interface Places {
  readonly byPointer: Map<string, SchemaNode>;
  /** The node a `$id` (or the document itself) names, by absolute URI. */
  readonly resources: Map<string, SchemaNode>;
  /** By absolute URI with `#name`. */
  readonly anchors: Map<string, SchemaNode>;
  readonly bases: Map<SchemaNode, string>;
  /** How many nodes declare each dynamic anchor; `$recursiveAnchor` counts under the empty name. */
  readonly dynamicAnchors: Map<string, number>;
}

/** @throws SdkError `unusable-schema` for a reference that leaves the document or leads nowhere in it */
export function resolveReferences(document: SchemaDocument, idKeyword: "$id" | "id"): void {
  const places = findPlaces(document, idKeyword);
  for (const node of document) {
    if (typeof node.schema === "boolean") continue;
    for (const keyword of referenceKeywords) {
      const reference = node.schema[keyword];
      if (reference !== undefined) node.targets.set(keyword, resolve(node, keyword, reference, places));
    }
  }
}

/** @throws SdkError `unusable-schema` for subschemas that apply each other to the same value without end */
export function refuseEndlessReferences(document: SchemaDocument): void {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  for (const start of document) {
    const stack = [start];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      if (open.has(node) || done.has(node)) {
        stack.pop();
        open.delete(node);
        done.add(node);
        continue;
      }
      open.add(node);
      for (const next of inPlace(node)) {
        if (open.has(next)) throw unusable(node.pointer, "refers to itself without end");
        stack.push(next);
      }
    }
  }
}

function* inPlace(node: SchemaNode): Iterable<SchemaNode> {
  for (const child of node.children) if (inPlaceKeywords.has(child.keyword)) yield child.node;
  yield* node.targets.values();
}

function findPlaces(document: SchemaDocument, idKeyword: "$id" | "id"): Places {
  const places: Places = {
    byPointer: new Map(),
    resources: new Map([[documentUri, document[0]]]),
    anchors: new Map(),
    bases: new Map(),
    dynamicAnchors: new Map(),
  };
  for (const node of document) {
    places.byPointer.set(node.pointer, node);
    const inherited = node.parent === undefined ? documentUri : places.bases.get(node.parent);
    places.bases.set(node, addNames(node, inherited as string, idKeyword, places)); // parents come first
  }
  return places;
}

/** Registers what a node is called, and returns the base URI for the references in it. */
function addNames(node: SchemaNode, inherited: string, idKeyword: "$id" | "id", places: Places): string {
  if (typeof node.schema === "boolean") return inherited;
  const { [idKeyword]: identifier, $anchor, $dynamicAnchor, $recursiveAnchor } = node.schema;
  let base = inherited;
  if (identifier !== undefined) {
    const { uri, fragment } = split(identifier, inherited, node);
    // Up to draft-07 an identifier that is only a fragment was the way to write an anchor.
    if (fragment !== "") add(places.anchors, `${uri}#${fragment}`, node);
    else if (uri !== inherited) {
      base = uri;
      add(places.resources, uri, node);
    }
  }
  for (const anchor of [$anchor, $dynamicAnchor]) {
    if (anchor !== undefined) add(places.anchors, `${base}#${String(anchor)}`, node);
  }
  const dynamicName = $recursiveAnchor === true ? "" : $dynamicAnchor;
  if (dynamicName !== undefined) {
    const name = String(dynamicName);
    places.dynamicAnchors.set(name, (places.dynamicAnchors.get(name) ?? 0) + 1);
  }
  return base;
}

function add(names: Map<string, SchemaNode>, name: string, node: SchemaNode): void {
  if (names.has(name)) throw unusable(node.pointer, `takes the name ${clip(name)}, which is in use already`);
  names.set(name, node);
}

function resolve(node: SchemaNode, keyword: string, reference: unknown, places: Places): SchemaNode {
  const base = places.bases.get(node) as string; // every node has one
  const { uri, fragment } = split(reference, base, node);
  const shown = `"${keyword}": "${clip(String(reference))}"`;
  const resource = places.resources.get(uri);
  if (resource === undefined) {
    throw unusable(node.pointer, `has ${shown}, which leaves the document; references are never fetched`);
  }
  const isPointer = fragment === "" || fragment.startsWith("/");
  const target = isPointer
    ? places.byPointer.get(resource.pointer + fragment)
    : places.anchors.get(`${uri}#${fragment}`);
  if (target === undefined) throw unusable(node.pointer, `has ${shown}, which leads to no subschema`);
  // Where one name has several declarations, the path taken at run time decides; with one, the target is fixed.
  if (keyword !== "$ref" && (places.dynamicAnchors.get(fragment) ?? 0) > 1) {
    throw unusable(node.pointer, `has ${shown}, whose target is declared more than once; use "$ref"`);
  }
  return target;
}

function split(reference: unknown, base: string, node: SchemaNode): { uri: string; fragment: string } {
  try {
    if (typeof reference !== "string") throw new TypeError("not a string");
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return { uri: url.href, fragment };
  } catch {
    throw unusable(node.pointer, `has an identifier or reference that is no URI: ${clip(String(reference))}`);
  }
}
