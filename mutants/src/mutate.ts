/** Makes the mutants of a source file: copies with one small fault each, such as `<` in place of `<=`. */
import { parseAst } from "rolldown/parseAst";

export interface Mutant {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  /** The source line without its indentation. Names a mutant when line numbers have moved. */
  readonly source: string;
  /** What was there, and what is there now. */
  readonly change: string;
  /** The whole file with the fault. */
  readonly text: string;
  /** Its place among the mutants of the file. */
  readonly index: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The code whose run a test must cause to notice an edit: the code alone, as the key of a property, or, for a condition that the edit
 * makes constant, a run with the other value.
 */
export interface Site extends Span {
  readonly form: "expression" | "key" | "statement" | "whenTrue" | "whenFalse";
}

export interface Edit extends Span {
  readonly replacement: string;
  readonly site: Site;
}

const SWAPPED: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "-": "+",
  "*": "/",
  "&&": "||",
  "||": "&&",
};

/** Members of nodes that hold types. A type has no behavior to mutate. */
const TYPE_KEYS: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "typeParameters",
  "typeArguments",
  "returnType",
  "implements",
]);
const TYPE_NODES: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ImportDeclaration",
]);
/** Statements whose expression does something, so that leaving it out is a fault. */
const EFFECTS: ReadonlySet<string> = new Set([
  "CallExpression",
  "AssignmentExpression",
  "UpdateExpression",
  "AwaitExpression",
]);

export function mutantsOf(file: string, text: string): Mutant[] {
  return editsOfFile(text).map(({ start, end, replacement }, index) => {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = text.indexOf("\n", start);
    return {
      file,
      line: text.slice(0, start).split("\n").length,
      source: text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd).trim(),
      change: `${shortened(text.slice(start, end))} → ${shortened(replacement) || "nothing"}`,
      text: text.slice(0, start) + replacement + text.slice(end),
      index,
    };
  });
}

/** One edit per mutant, in their order. */
export function editsOfFile(text: string): Edit[] {
  const edits: Edit[] = [];
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node, isKey) => edits.push(...editsOf(node, text, isKey)));
  return edits;
}

function visit(node: Node, onNode: (node: Node, isKey: boolean) => void, isKey = false): void {
  if (TYPE_NODES.has(node.type)) return;
  onNode(node, isKey);
  for (const [name, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(name)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, onNode, name === "key" && !node.computed);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function editsOf(node: Node, text: string, isKey: boolean): Edit[] {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return changedOperator(node, text);
    case "IfStatement":
    case "ConditionalExpression":
      return [replace(node.test as Node, "true", "whenFalse"), replace(node.test as Node, "false", "whenTrue")];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(node, textOf(node.argument as Node, text))] : [];
    case "Literal":
      return changedLiteral(node, isKey ? "key" : "expression");
    case "ExpressionStatement":
      return EFFECTS.has((node.expression as Node).type) ? [replace(node, ";", "statement")] : [];
    default:
      return [];
  }
}

function changedOperator(node: Node, text: string): Edit[] {
  const [left, right] = [node.left as Node, node.right as Node];
  const operator = String(node.operator);
  // `a ?? b` without its fallback. A test that never needs the fallback cannot notice.
  if (operator === "??") return [{ ...replace(node, textOf(left, text)), site: siteOf(right, "expression") }];
  const swapped = SWAPPED[operator];
  if (swapped === undefined) return [];
  const start = left.end + text.slice(left.end, right.start).indexOf(operator);
  return [{ start, end: start + operator.length, replacement: swapped, site: siteOf(node, "expression") }];
}

function changedLiteral(node: Node, form: Site["form"]): Edit[] {
  if (typeof node.value === "boolean") return [replace(node, String(!node.value), form)];
  if (typeof node.value === "number") return [replace(node, String(node.value + 1), form)];
  return [];
}

function replace(node: Node, replacement: string, form: Site["form"] = "expression"): Edit {
  return { start: node.start, end: node.end, replacement, site: siteOf(node, form) };
}

function siteOf({ start, end }: Node, form: Site["form"]): Site {
  return { start, end, form };
}

function textOf({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}

const MAX_SHOWN = 60;

function shortened(code: string): string {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
