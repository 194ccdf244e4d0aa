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
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
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
  const edits: Edit[] = [];
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, (node) => edits.push(...editsOf(node, text)));
  return edits.map(({ start, end, replacement }) => {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = text.indexOf("\n", start);
    return {
      file,
      line: text.slice(0, start).split("\n").length,
      source: text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd).trim(),
      change: `${shortened(text.slice(start, end))} → ${shortened(replacement) || "nothing"}`,
      text: text.slice(0, start) + replacement + text.slice(end),
    };
  });
}

function visit(node: Node, onNode: (node: Node) => void): void {
  if (TYPE_NODES.has(node.type)) return;
  onNode(node);
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(key)) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, onNode);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function editsOf(node: Node, text: string): Edit[] {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return swappedOperator(node, text);
    case "IfStatement":
    case "ConditionalExpression":
      return [replace(node.test as Node, "true"), replace(node.test as Node, "false")];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(node, textOf(node.argument as Node, text))] : [];
    case "Literal":
      return changedLiteral(node);
    case "ExpressionStatement":
      return EFFECTS.has((node.expression as Node).type) ? [replace(node, ";")] : [];
    default:
      return [];
  }
}

function swappedOperator(node: Node, text: string): Edit[] {
  const [left, right] = [node.left as Node, node.right as Node];
  const operator = String(node.operator);
  // `a ?? b` without its fallback.
  if (operator === "??") return [replace(node, textOf(left, text))];
  const swapped = SWAPPED[operator];
  if (swapped === undefined) return [];
  const start = left.end + text.slice(left.end, right.start).indexOf(operator);
  return [{ start, end: start + operator.length, replacement: swapped }];
}

function changedLiteral(node: Node): Edit[] {
  if (typeof node.value === "boolean") return [replace(node, String(!node.value))];
  if (typeof node.value === "number") return [replace(node, String(node.value + 1))];
  return [];
}

function replace({ start, end }: Node, replacement: string): Edit {
  return { start, end, replacement };
}

function textOf({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}

const MAX_SHOWN = 60;

function shortened(code: string): string {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
