/**
 * What 200 tools cost a user's compiler, in type instantiations: a count that, unlike a time, is the same on every
 * machine. Writes the same file in two dialects, ours and the official SDK's, and asks `tsc` for its figure on each.
 */
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const TOOL_COUNT = 200;

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the workspace, so that packages resolve as they do for a user. */
const workFolder = `${root}bench/.type-cost`;
const declarations = `${workFolder}/parley-mcp`;

const COMPILER_CONFIG = {
  extends: `${root}tsconfig.base.json`,
  compilerOptions: {
    noEmit: true,
    declaration: false,
    isolatedDeclarations: false,
    paths: { "parley-mcp/*": [`${declarations}/*/index.d.ts`] },
  },
  files: ["tools.ts"],
};

/** `arguments`: an input schema and a text answer. `structured`: an output schema too, and a value for it. */
export type Shape = "arguments" | "structured";

/** How one implementation writes a server and its tools. */
export interface Dialect {
  readonly name: string;
  readonly prologue: string;
  tool(parts: ToolParts): string;
}

export interface ToolParts {
  readonly name: string;
  readonly input: string;
  /** The handler's parameter. */
  readonly parameters: string;
  /** Absent where the tool only answers with text. */
  readonly output: string | undefined;
  /** An expression over the parameters, of the output's type. */
  readonly value: string;
}

export const parley: Dialect = {
  name: "parley",
  prologue: `import { McpServer } from "parley-mcp/server";
const server = new McpServer({ name: "cost", version: "1.0.0" });`,
  tool: ({ name, input, parameters, output, value }) => {
    const schemas = output === undefined ? `input: ${input}` : `input: ${input}, output: ${output}`;
    const answer = output === undefined ? `JSON.stringify(${value})` : `(${value})`;
    return `server.tool("${name}", { description: "d", ${schemas} }, async (${parameters}) => ${answer});`;
  },
};

export const officialV2: Dialect = {
  name: "official v2",
  prologue: `import { McpServer } from "@modelcontextprotocol/server";
const server = new McpServer({ name: "cost", version: "1.0.0" });`,
  tool: ({ name, input, parameters, output, value }) => {
    const schemas = output === undefined ? `inputSchema: ${input}` : `inputSchema: ${input}, outputSchema: ${output}`;
    const content = 'content: [{ type: "text", text: JSON.stringify(value) }]';
    const answer = output === undefined ? `{ ${content} }` : `{ ${content}, structuredContent: value }`;
    const body = `{ const value = ${value}; return ${answer}; }`;
    return `server.registerTool("${name}", { description: "d", ${schemas} }, async (${parameters}) => ${body});`;
  },
};

/**
 * Writes the declarations that a build would publish, from the sources as they are: a build may be missing or old, and
 * sources in its place would add the cost of checking the package itself.
 */
export async function declareParley(): Promise<void> {
  await rm(workFolder, { recursive: true, force: true });
  const options = ["--emitDeclarationOnly", "--outDir", declarations];
  await tsc("-p", `${root}packages/sdk/tsconfig.build.json`, ...options);
}

/** How many types the compiler instantiates for the file. @throws {Error} with its complaints if it does not compile. */
export async function countInstantiations(dialect: Dialect, shape: Shape, tools: number = TOOL_COUNT): Promise<number> {
  const folder = `${workFolder}/${dialect.name.replaceAll(" ", "-")}-${shape}-${tools}`;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/tools.ts`, sourceOf(dialect, shape, tools));
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(COMPILER_CONFIG, null, 2));
  const report = await tsc("-p", folder, "--extendedDiagnostics");
  const figure = /^Instantiations:\s+(\d+)/m.exec(report)?.[1];
  if (figure === undefined) throw new Error(`tsc printed no instantiation count:\n${report}`);
  return Number(figure);
}

function sourceOf(dialect: Dialect, shape: Shape, tools: number): string {
  const registrations = Array.from({ length: tools }, (_, index) => dialect.tool(toolParts(index, shape)));
  return ['import { z } from "zod";', dialect.prologue, ...registrations, ""].join("\n");
}

/** Every schema has a key of its own: two alike would be one type to the compiler and cost nothing the second time. */
function toolParts(index: number, shape: Shape): ToolParts {
  const key = `key${index}`;
  const variants = [
    {
      input: `z.object({ ${key}: z.string(), count: z.number() })`,
      parameters: `{ ${key}, count }`,
      output: `z.object({ ${key}: z.number() })`,
      value: `{ ${key}: ${key}.length + count }`,
    },
    {
      input: `z.object({ ${key}: z.string().min(1), limit: z.number().int().optional(), tags: z.array(z.string()) })`,
      parameters: `{ ${key}, limit, tags }`,
      output: `z.object({ ${key}: z.string(), tags: z.array(z.string()), left: z.number() })`,
      value: `{ ${key}, tags, left: (limit ?? 10) - tags.length }`,
    },
    {
      input: `z.object({ ${key}: z.enum(["asc", "desc"]).default("asc"), at: z.object({ x: z.number(), y: z.number() }) })`,
      parameters: `{ ${key}, at }`,
      output: `z.object({ ${key}: z.enum(["asc", "desc"]), at: z.object({ x: z.number(), y: z.number() }) })`,
      value: `{ ${key}, at: { x: at.y, y: at.x } }`,
    },
  ] as const;
  const parts = variants[index % variants.length] ?? variants[0];
  return { ...parts, name: `tool-${index}`, output: shape === "structured" ? parts.output : undefined };
}

/** @throws {Error} with what it printed if it fails. */
async function tsc(...options: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      `${root}node_modules/typescript/bin/tsc`,
      ...options,
    ]);
    return stdout;
  } catch (cause) {
    const { stdout = "" } = cause as { stdout?: string }; // What execFile rejects with, unless it found no program.
    throw new Error(`tsc ${options.join(" ")}:\n${stdout}`, { cause });
  }
}
