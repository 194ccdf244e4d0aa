/**
 * Reads the traces of ARCHITECTURE.md: fenced blocks that follow a call through the SDK, one line per function. A line is a
 * path below `packages/sdk/src`, a space, and `Class.method` or `function`; a note may follow.
 */
import { type Node, type Program, parseSync, type Statement, Visitor } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export const MAX_TRACE_LINES = 22;

export interface TraceStep {
  readonly line: string;
  /** Absent where the line does not name a file and a function. */
  readonly called?: { readonly path: string; readonly owner: string; readonly member?: string | undefined };
}

export type Trace = readonly TraceStep[];

const STEP = /^([\w/.-]+\.ts)\s+([\w$]+)(?:\.(#?[\w$]+))?(?=\s|$)/;

/** A fenced block is a trace if one of its lines is a step. */
export function tracesOf({ text }: SourceFile): Trace[] {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].map(([, body = ""]) => body);
  const traces = blocks.map((body) =>
    body
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .map(readStep),
  );
  return traces.filter((steps) => steps.some(({ called }) => called !== undefined));
}

function readStep(line: string): TraceStep {
  const [, path, owner, member] = STEP.exec(line) ?? [];
  return path === undefined || owner === undefined ? { line } : { line, called: { path, owner, member } };
}

/** Every step that names something the sources do not have, and every trace that is too long, as sentences. */
export function traceViolations(traces: readonly Trace[], sources: readonly SourceFile[]): string[] {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  return traces.flatMap((trace) => {
    const first = trace[0]?.line;
    const long = `the trace from "${first}" has ${trace.length} lines, more than ${MAX_TRACE_LINES}`;
    const wrong = trace.flatMap((step) => stepViolations(step, byPath));
    return trace.length > MAX_TRACE_LINES ? [long, ...wrong] : wrong;
  });
}

function stepViolations({ line, called }: TraceStep, sources: ReadonlyMap<string, SourceFile>): string[] {
  if (called === undefined) return [`"${line}" is not a file and a function`];
  const { path, owner, member } = called;
  const file = sources.get(path);
  if (file === undefined) return [`${path} does not exist`];
  const { program } = parseSync(file.path, file.text);
  const declared = program.body.find((statement) => declares(statement, owner));
  if (declared === undefined) return [`${path} declares no ${owner}`];
  if (member === undefined || membersOf(declared, program).has(member)) return [];
  return [`${owner} in ${path} has no ${member}`];
}

function declarationOf(statement: Statement): Node {
  const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return (isExport ? statement.declaration : undefined) ?? statement;
}

function declares(statement: Statement, name: string): boolean {
  const declared = declarationOf(statement);
  const ids = declared.type === "VariableDeclaration" ? declared.declarations.map(({ id }) => id) : [idOf(declared)];
  return ids.some((id) => id?.type === "Identifier" && id.name === name);
}

function idOf(node: Node): Node | null | undefined {
  return "id" in node ? (node.id as Node | null) : undefined;
}

/** Methods, accessors and fields of a class or an interface; of anything else, the functions and properties within. */
function membersOf(statement: Statement, program: Program): Set<string> {
  const declared = declarationOf(statement);
  const names = new Set<string>();
  const add = (key: Node | null | undefined) => {
    if (key?.type === "PrivateIdentifier") names.add(`#${key.name}`);
    else if (key?.type === "Identifier") names.add(key.name);
  };
  if (declared.type === "ClassDeclaration") for (const member of declared.body.body) add(keyOf(member));
  else if (declared.type === "TSInterfaceDeclaration") for (const member of declared.body.body) add(keyOf(member));
  else {
    new Visitor({
      FunctionDeclaration: ({ id }) => add(id),
      VariableDeclarator: ({ id }) => add(id),
      Property: ({ key }) => add(key),
      TSPropertySignature: ({ key }) => add(key),
      TSMethodSignature: ({ key }) => add(key),
    }).visit({ ...program, body: [statement] });
  }
  return names;
}

function keyOf(member: Node): Node | null | undefined {
  return "key" in member ? (member.key as Node) : undefined;
}

/** A function on the stack of a call, outermost first. */
export interface StackFrame {
  /** Path below `packages/sdk/src`. */
  readonly path: string;
  /** Name without its class; empty for an anonymous function. */
  readonly name: string;
}

const FRAME = /^\s*at (?:async )?(?:(.+) \()?(?:file:\/\/)?[^()]*?\/packages\/sdk\/src\/([^():]+\.ts):\d+:\d+\)?$/;

/** The functions of the SDK on a stack, outermost first. */
export function framesOf(stack: string): StackFrame[] {
  const frames = stack.split("\n").flatMap((line) => {
    const [, called = "", path] = FRAME.exec(line) ?? [];
    const name =
      called
        .replace(/ \[as .*/, "")
        .split(".")
        .at(-1) ?? "";
    return path === undefined ? [] : [{ path, name: name === "<anonymous>" ? "" : name }];
  });
  return frames.reverse();
}

/** The steps of a trace that are not on the stack in their order. A step without a class needs only its file. */
export function stepsOffStack(trace: Trace, frames: readonly StackFrame[]): string[] {
  let next = 0;
  return trace.flatMap(({ line, called }) => {
    const isCalled = ({ path, name }: StackFrame) =>
      path === called?.path && (called.member === undefined || name === called.member);
    const found = frames.findIndex((frame, index) => index >= next && isCalled(frame));
    if (found >= 0) next = found + 1;
    return found >= 0 ? [] : [line];
  });
}

/** The files on the stack that a trace does not name, besides those that are left out on purpose. */
export function filesOffTrace(trace: Trace, frames: readonly StackFrame[], leftOut: readonly string[]): string[] {
  const named = new Set([...trace.map(({ called }) => called?.path), ...leftOut]);
  return [...new Set(frames.map(({ path }) => path))].filter((path) => !named.has(path));
}
