/** References inside one schema document: collects `$id` and anchors, and resolves `$ref`, `$dynamicRef` and `$recursiveRef`. */
import { type Budget, PER_STEP, STEPS } from "../../runtime/work-budget.js";
import { type Dialect, idKeywordOf, ignoresReferenceSiblings } from "../dialects.js";
import { unusableAt } from "../unusable-schema-error.js";
import { clip, shown } from "../validation-result.js";
import { IN_PLACE_KEYWORDS, REFERENCE_KEYWORDS } from "./keyword-shapes.js";
import type { SchemaDocument, SchemaNode, SchemaReference, SchemaResource } from "./schema-node.js";

/** The base URI of a document without `$id`. */
const DOCUMENT_URI = "schema:///";

/** Limits the cost of resolving a reference, which reads the whole base URI. */
const MAX_URI_LENGTH = 1024;

interface Places {
  /** The resources by absolute URI. */
  readonly resources: Map<string, SchemaResource>;
  /** The number of nodes that declare each dynamic anchor. */
  readonly dynamicAnchors: Map<string, number>;
  /** The children of nodes that pointers passed, by the next token. */
  readonly steps: Map<SchemaNode, ReadonlyMap<string, SchemaNode>>;
  readonly budget: Budget;
}

/** @throws UnusableSchemaError for a reference that leaves the document or has no target in it */
export function resolveReferences(document: SchemaDocument, dialect: Dialect | undefined, budget: Budget): void {
  const places = findPlaces(document, dialect, budget);
  const keywords = ignoresReferenceSiblings(dialect) ? REFERENCE_KEYWORDS.slice(0, 1) : REFERENCE_KEYWORDS;
  for (const node of document) {
    if (typeof node.schema === "boolean") continue;
    for (const keyword of keywords) {
      const reference = node.schema[keyword];
      if (reference !== undefined) node.references.push(resolve(node, keyword, reference, places));
    }
  }
}

/** @throws UnusableSchemaError for subschemas that apply each other to the same value without end */
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
        if (open.has(next)) throw unusableAt(node.pointer, "refers to itself without end");
        stack.push(next);
      }
    }
  }
}

function* inPlace(node: SchemaNode): Iterable<SchemaNode> {
  for (const child of node.children) if (IN_PLACE_KEYWORDS.has(child.keyword)) yield child.node;
  for (const reference of node.references) yield reference.target;
}

function findPlaces(document: SchemaDocument, dialect: Dialect | undefined, budget: Budget): Places {
  const places: Places = { resources: new Map(), dynamicAnchors: new Map(), steps: new Map(), budget };
  const whole = resourceAt(DOCUMENT_URI, document[0], places);
  for (const node of document) {
    node.resource = addNames(node, node.parent?.resource ?? whole, dialect, places);
  }
  return places;
}

function resourceAt(uri: string, root: SchemaNode, { resources }: Places): SchemaResource {
  const resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
  add(resources, uri, resource, root);
  return resource;
}

/** Registers the identifier and the anchors of a node, and returns its resource. */
function addNames(
  node: SchemaNode,
  inherited: SchemaResource,
  dialect: Dialect | undefined,
  places: Places,
): SchemaResource {
  const { schema } = node;
  if (typeof schema === "boolean" || (schema.$ref !== undefined && ignoresReferenceSiblings(dialect))) return inherited;
  const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
  const identifier = schema[idKeywordOf(dialect)];
  let resource = inherited;
  if (identifier !== undefined) {
    const { uri, fragment } = split(identifier, inherited.uri, node, places);
    if (uri !== inherited.uri) resource = resourceAt(uri, node, places);
    // Up to draft-07 an anchor is written as a fragment of the identifier.
    if (fragment !== "") add(resource.anchors, fragment, node, node);
  }
  for (const anchor of [$anchor, $dynamicAnchor]) {
    if (typeof anchor === "string") add(resource.anchors, anchor, node, node);
  }
  if (typeof $dynamicAnchor === "string") addDynamic($dynamicAnchor, node, resource, places);
  if ($recursiveAnchor === true) addDynamic("", node, resource, places);
  return resource;
}

function addDynamic(name: string, node: SchemaNode, resource: SchemaResource, { dynamicAnchors }: Places): void {
  resource.dynamicAnchors.set(name, node);
  dynamicAnchors.set(name, (dynamicAnchors.get(name) ?? 0) + 1);
}

function add<Named>(names: Map<string, Named>, name: string, named: Named, node: SchemaNode): void {
  if (names.has(name)) throw unusableAt(node.pointer, `takes the name ${clip(name)}, which is in use already`);
  names.set(name, named);
}

function resolve(
  node: SchemaNode,
  keyword: SchemaReference["keyword"],
  reference: unknown,
  places: Places,
): SchemaReference {
  const base = node.resource as SchemaResource; // every node has one by now
  const { uri, fragment } = split(reference, base.uri, node, places);
  const named = `"${keyword}": "${shown(reference)}"`;
  const resource = places.resources.get(uri);
  if (resource === undefined) {
    throw unusableAt(node.pointer, `has ${named}, which leaves the document; references are never fetched`);
  }
  const isPointer = fragment === "" || fragment.startsWith("/");
  const target = isPointer ? descend(resource.root, fragment, places) : resource.anchors.get(fragment);
  if (target === undefined) throw unusableAt(node.pointer, `has ${named}, which leads to no subschema`);
  // A dynamic reference to a name that is declared once has a fixed target.
  const isDynamic =
    keyword !== "$ref" &&
    resource.dynamicAnchors.get(fragment) === target &&
    (places.dynamicAnchors.get(fragment) as number) > 1;
  return isDynamic ? { keyword, target, dynamicName: fragment } : { keyword, target };
}

function descend(root: SchemaNode, pointer: string, places: Places): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  const tokens = pointer.split("/").slice(1).values();
  for (const token of tokens) {
    if (node === undefined) return undefined;
    const steps = stepsFrom(node, places);
    node = steps.get(token) ?? steps.get(`${token}/${tokens.next().value}`);
  }
  return node;
}

function stepsFrom(node: SchemaNode, { steps }: Places): ReadonlyMap<string, SchemaNode> {
  const known = steps.get(node);
  if (known !== undefined) return known;
  const found = new Map(node.children.map(({ step, node: child }) => [step, child]));
  steps.set(node, found);
  return found;
}

function split(
  reference: unknown,
  base: string,
  node: SchemaNode,
  { budget }: Places,
): { uri: string; fragment: string } {
  budget.spend(STEPS.resolvedReference);
  if (typeof reference === "string") {
    budget.spendOn(reference.length, PER_STEP.resolvedCharacters);
    if (!reference.startsWith("#")) {
      budget.spend(STEPS.resolvedUri);
      budget.spendOn(base.length, PER_STEP.resolvedCharacters);
    }
  }
  try {
    if (typeof reference !== "string") throw new TypeError("not a string");
    if (reference.startsWith("#")) return { uri: base, fragment: decodeURIComponent(reference.slice(1)) };
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    if (url.href.length > MAX_URI_LENGTH) throw new RangeError("too long");
    return { uri: url.href, fragment };
  } catch {
    throw unusableAt(
      node.pointer,
      `has an identifier or reference that is no URI of up to ${MAX_URI_LENGTH} characters: ${shown(reference)}`,
    );
  }
}
