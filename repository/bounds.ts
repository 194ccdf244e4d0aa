/**
 * Finds the growing collections of the SDK, and reads what docs/bounds.md says about them.
 * The scan looks at syntax alone, without types, so each rule can also be tried on a made-up file.
 */
import { parseSync } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export interface Declaration {
  /** Below the folder that was scanned. */
  readonly path: string;
  /** The owner and the field, such as `PipeEnd.#inbox`. A variable of a module has no owner. */
  readonly name: string;
  /** True for state that can grow while the process runs. */
  readonly isCollection: boolean;
}

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A node and the nodes around it, nearest first. */
interface Place {
  readonly node: SyntaxNode;
  readonly around: readonly SyntaxNode[];
}

type Named = Omit<Declaration, "path">;

/** Types whose values grow in place. Of a weak table, the keys decide how long an entry lives. */
const BUILT_IN: readonly string[] = ["Map", "Set", "WeakMap", "WeakSet", "Array", "Record"];

/** Types whose values have a fixed length. A variable grows when it is assigned a longer value. */
const REPLACED: ReadonlySet<string> = new Set(["Uint8Array", "Buffer"]);

const MUTATORS: ReadonlySet<string> = new Set(["set", "add", "push", "unshift", "delete", "clear", "splice"]);

/** Methods that call their callback before they return. A variable used in such a callback does not outlive its function. */
const SYNCHRONOUS: ReadonlySet<string> = new Set([
  ...["map", "flatMap", "forEach", "filter", "find", "findIndex", "some", "every", "reduce", "sort", "from"],
  ...["replace", "replaceAll"],
]);

/**
 * The fields, variables and functions of all files below a folder, in the order of the files and their lines.
 * A generic class that holds a collection is a collection itself, and so is an alias of a collection type.
 * @throws {Error} when a file does not parse
 */
export function declarationsIn(files: readonly SourceFile[], folder: string): Declaration[] {
  const parsed = files.map((file) => ({ path: file.path.slice(folder.length + 1), places: placesOf(file) }));
  const nodes = parsed.flatMap(({ places }) => places.map(({ node }) => node));
  let types = new Set(BUILT_IN);
  for (;;) {
    const declared = parsed.flatMap(({ path, places }) =>
      declarationsOf(places, types).map((declaration) => ({ path, ...declaration })),
    );
    const holders = new Set(declared.filter(({ isCollection }) => isCollection).map(({ name }) => name.split(".")[0]));
    const known = new Set([
      ...types,
      ...nodes.filter((node) => isGenericClass(node) && holders.has(nameOf(node.id))).map(({ id }) => nameOf(id)),
      ...nodes.filter((node) => isCollectionAlias(node, types)).map(({ id }) => nameOf(id)),
    ]);
    if (known.size === types.size) return declared;
    types = known;
  }
}

function declarationsOf(places: readonly Place[], types: ReadonlySet<string>): Named[] {
  return places.flatMap((place) => {
    switch (place.node.type) {
      case "PropertyDefinition":
        return [classField(place, types)];
      case "TSPropertySignature":
        return [typeMember(place, types)];
      case "FunctionDeclaration":
        return [{ name: nameOf(place.node.id), isCollection: false }];
      case "MethodDefinition":
        return [{ name: owned(place.around, place.node.key), isCollection: false }];
      case "VariableDeclarator":
        return [
          functionsAround(place).length === 0 ? moduleVariable(place, places, types) : localVariable(place, types),
        ];
      default:
        return [];
    }
  });
}

/** A field is judged by its type, or by its first value if it has no type. */
function classField({ node, around }: Place, types: ReadonlySet<string>): Named {
  const type = typeOf(node);
  const isVariable = node.readonly !== true;
  const isCollection = type === undefined ? isFresh(node.value, types) : grows(type, types, isVariable);
  return { name: owned(around, node.key), isCollection: isCollection || isAccumulator(node.value, isVariable) };
}

/** A member of a type is a collection if it is filled in place: the member is read-only, and its value is not. */
function typeMember({ node, around }: Place, types: ReadonlySet<string>): Named {
  const type = typeOf(node);
  const isCollection = node.readonly === true && type !== undefined && grows(type, types, false);
  return { name: owned(around, node.key), isCollection };
}

/** A variable of a module is a collection if the module changes it. */
function moduleVariable({ node }: Place, places: readonly Place[], types: ReadonlySet<string>): Named {
  const name = nameOf(node.id);
  const type = typeOf(node.id as SyntaxNode);
  const canGrow = isFresh(node.init, types) || (type !== undefined && grows(type, types, true));
  return { name, isCollection: canGrow && places.some((place) => changes(place.node, name)) };
}

/** A variable of a function is a collection if it starts empty, is changed, and outlives the turn it was made in. */
function localVariable(place: Place, types: ReadonlySet<string>): Named {
  const { node, around } = place;
  const name = nameOf(node.id);
  const [home] = functionsAround(place);
  const canGrow = isFresh(node.init, types) || isAccumulator(node.init, around[0]?.kind === "let");
  const inside = home === undefined || !canGrow ? [] : placesIn(home);
  const outlives = home?.async === true || home?.generator === true || isCaptured(inside, name);
  return { name: owned(around, node.id), isCollection: outlives && inside.some((inner) => changes(inner.node, name)) };
}

/** True for `[]`, `new Map()` and the like. */
function isFresh(value: unknown, types: ReadonlySet<string>): boolean {
  if (!isNode(value)) return false;
  if (value.type === "NewExpression") return types.has(nameOf(value.callee));
  return value.type === "ArrayExpression" && (value.elements as unknown[]).length === 0;
}

/** True for text or bytes that a variable starts with and that longer ones can replace. */
function isAccumulator(value: unknown, isVariable: boolean): boolean {
  if (!isVariable || !isNode(value)) return false;
  return value.type === "NewExpression" ? REPLACED.has(nameOf(value.callee)) : value.value === "";
}

/** True if values of the type grow, or if a variable of that type can be given longer ones. */
function grows(type: SyntaxNode, types: ReadonlySet<string>, isVariable: boolean): boolean {
  if (type.type === "TSArrayType") return true;
  if (type.type === "TSTypeOperator") {
    return type.operator === "readonly" ? isVariable : grows(type.typeAnnotation as SyntaxNode, types, isVariable);
  }
  if (type.type === "TSUnionType") return (type.types as SyntaxNode[]).some((one) => grows(one, types, isVariable));
  if (type.type !== "TSTypeReference") return false;
  const name = nameOf(type.typeName);
  if (types.has(name)) return true;
  if (REPLACED.has(name)) return isVariable;
  const inner = ((type.typeArguments as SyntaxNode | null)?.params ?? []) as SyntaxNode[];
  if (name === "Promise") return inner.some((one) => grows(one, types, isVariable));
  if (name === "Readonly") return isVariable && inner.some((one) => grows(one, types, isVariable));
  return isVariable && name.startsWith("Readonly") && types.has(name.slice("Readonly".length));
}

/** True for an assignment to the variable or to one of its members, and for a call that changes it. */
function changes(node: SyntaxNode, name: string): boolean {
  if (node.type === "AssignmentExpression") return rootOf(node.left) === name;
  if (node.type !== "CallExpression") return false;
  const callee = node.callee as SyntaxNode;
  return callee.type === "MemberExpression" && rootOf(callee) === name && MUTATORS.has(nameOf(callee.property));
}

/** The variable at the start of `variable.member.member`. */
function rootOf(target: unknown): string {
  const node = target as SyntaxNode;
  return node.type === "MemberExpression" ? rootOf(node.object) : nameOf(node);
}

/** True if a function that may run later names the variable. The first place is the function that declares it. */
function isCaptured(places: readonly Place[], name: string): boolean {
  const home = places[0]?.node;
  return places.some((place) => {
    if (place.node.type !== "Identifier" || place.node.name !== name) return false;
    return functionsAround(place).some((inner) => inner !== home && !runsAtOnce(inner, place.around));
  });
}

function runsAtOnce(callback: SyntaxNode, around: readonly SyntaxNode[]): boolean {
  const call = around[around.indexOf(callback) + 1];
  if (call?.type !== "CallExpression") return false;
  const callee = call.callee as SyntaxNode;
  return callee.type === "MemberExpression" && SYNCHRONOUS.has(nameOf(callee.property));
}

function functionsAround({ around }: Place): SyntaxNode[] {
  return around.filter(({ type }) => type.endsWith("FunctionExpression") || type === "FunctionDeclaration");
}

/** The nearest named thing around: a class, an interface, a type, a method, a function. */
function ownerOf(around: readonly SyntaxNode[]): string {
  for (const node of around) {
    if (node.type === "MethodDefinition" || node.type === "PropertyDefinition") {
      return `${ownerOf(around.slice(around.indexOf(node) + 1))}.${nameOf(node.key)}`;
    }
    if (isNode(node.id)) return nameOf(node.id);
  }
  return "";
}

function isGenericClass(node: SyntaxNode): boolean {
  return node.type === "ClassDeclaration" && isNode(node.typeParameters);
}

function isCollectionAlias(node: SyntaxNode, types: ReadonlySet<string>): boolean {
  return node.type === "TSTypeAliasDeclaration" && grows(node.typeAnnotation as SyntaxNode, types, false);
}

function owned(around: readonly SyntaxNode[], name: unknown): string {
  return `${ownerOf(around)}.${nameOf(name)}`;
}

function typeOf(node: SyntaxNode): SyntaxNode | undefined {
  return isNode(node.typeAnnotation) ? (node.typeAnnotation.typeAnnotation as SyntaxNode) : undefined;
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  const name = typeof node.name === "string" ? node.name : "";
  return node.type === "PrivateIdentifier" ? `#${name}` : name;
}

function placesOf(file: SourceFile): Place[] {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path}: ${errors.map((error) => error.message).join("; ")}`);
  return placesIn(program as unknown as SyntaxNode);
}

/** The node and all nodes below it, in the order of the text. */
function placesIn(node: SyntaxNode, around: readonly SyntaxNode[] = []): Place[] {
  const inner = [node, ...around];
  const children = Object.values(node).flat().filter(isNode);
  return [{ node, around }, ...children.flatMap((child) => placesIn(child, inner))];
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** One row of a table in docs/bounds.md. */
export interface BoundRow {
  readonly path: string;
  readonly name: string;
  readonly filledBy: string;
  readonly items: string;
  readonly bytes: string;
  readonly time: string;
  readonly shownBy: string;
}

/** What the rows are checked against. */
export interface BoundEvidence {
  readonly declarations: readonly Declaration[];
  /** The text of a test file, by its path in the page; undefined if no such file exists. */
  textOf(path: string): string | undefined;
  readonly requirementIds: ReadonlySet<string>;
  /** The places that the page lists as known to lack a bound. */
  readonly knownGaps: readonly string[];
}

/** An entry of the list of known gaps: the file and the field, then the reason. */
const KNOWN_GAP = /^- `([^`]+)` `([^`]+)`: \S/;

const FILLED_BY: ReadonlySet<string> = new Set(["peer", "author", "both", "owner"]);

/** A test file with a title, or a requirement. */
const PROOF = /`([^`]+)`(?: "([^"]+)")?/g;

export function boundRows(page: string): BoundRow[] {
  return page.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, path = "", name = "", filledBy = "", items = "", bytes = "", time = "", shownBy = ""] = cells;
    if (!path.startsWith("`")) return [];
    return [{ path: path.slice(1, -1), name: name.slice(1, -1), filledBy, items, bytes, time, shownBy }];
  });
}

export function knownGaps(page: string): string[] {
  return page.split("\n").flatMap((line) => {
    const [, path, name] = KNOWN_GAP.exec(line) ?? [];
    return path === undefined || name === undefined ? [] : [placeOf({ path, name })];
  });
}

/** One sentence per violation. */
export function boundViolations(rows: readonly BoundRow[], evidence: BoundEvidence): string[] {
  const declared = new Set(evidence.declarations.map(placeOf));
  const listed = rows.map(placeOf);
  const missing = evidence.declarations.filter((found) => found.isCollection && !listed.includes(placeOf(found)));
  return [
    ...missing.map((found) => `${placeOf(found)} holds a collection and has no row`),
    ...listed.filter((place) => !declared.has(place)).map((place) => `${place} has a row and does not exist`),
    ...listed.filter((place, index) => listed.indexOf(place) < index).map((place) => `${place} has two rows`),
    ...evidence.knownGaps
      .filter((place) => !rows.some((row) => placeOf(row) === place && lacksBound(row)))
      .map((place) => `${place} is a known gap and no row of a peer lacks a bound`),
    ...rows.flatMap((row) => rowViolations(row, evidence).map((complaint) => `${placeOf(row)} ${complaint}`)),
  ];
}

/** True if a peer fills the collection without a bound in items, bytes or time. */
function lacksBound({ filledBy, items, bytes, time }: BoundRow): boolean {
  return (filledBy === "peer" || filledBy === "both") && [items, bytes, time].some((bound) => bound.startsWith("none"));
}

function rowViolations(row: BoundRow, { textOf, requirementIds, knownGaps }: BoundEvidence): string[] {
  const bounds = [row.items, row.bytes, row.time];
  const proofs = [...row.shownBy.matchAll(PROOF)];
  const isBounded = bounds.some((bound) => bound !== "none");
  return [
    ...(FILLED_BY.has(row.filledBy) ? [] : [`is filled by "${row.filledBy}"`]),
    ...(lacksBound(row) && !knownGaps.includes(placeOf(row)) ? ["is filled by a peer and lacks a bound"] : []),
    ...(bounds.includes("") ? ["leaves a bound empty"] : []),
    ...(isBounded && proofs.length === 0 ? ["claims a bound and names no test"] : []),
    ...proofs.flatMap(([, source = "", title]) => {
      if (title === undefined) return requirementIds.has(source) ? [] : [`names no requirement: ${source}`];
      return textOf(source)?.includes(title) ? [] : [`names no test: ${source} "${title}"`];
    }),
  ];
}

function placeOf({ path, name }: Pick<Declaration, "path" | "name">): string {
  return `${path} ${name}`;
}
