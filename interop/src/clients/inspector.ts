/** The command line of the official Inspector: one process, and so one connection, for each call. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lack } from "../features.js";
import {
  type ClientPeer,
  type Endpoint,
  isRecord,
  type PeerClient,
  textOf,
  toolAnswer,
  type Wanted,
} from "../peer-client.js";
import { newerNode } from "./newer-node.js";

const PACKAGE = "@modelcontextprotocol/inspector";

export const inspector: ClientPeer = {
  name: "Inspector",
  packageName: PACKAGE,
  lacks: {
    ...lack("one call per process", "parallel calls", "ping", "cancellation", "session forgotten"),
    ...lack("one call per process", "resource updates", "list changes", "listen"),
    ...lack("not shown", "progress", "progress in one burst", "logging", "resumption"),
    ...lack("looked up in the list before it is called", "unknown tool"),
    ...lack("the code is not shown", "unknown resource"),
    ...lack("not offered by this command", "completion", "elicitation", "URL elicitation", "sampling", "roots"),
    ...lack("not offered by this command", "input rounds", "session deletion"),
  },
  connect: (endpoint, wanted) => connect(endpoint, wanted),
};

async function connect(endpoint: Endpoint, { era }: Wanted): Promise<PeerClient> {
  const run = (method: string, ...options: readonly string[]) =>
    inspect([...targetOf(endpoint), "--protocol-era", era, "--method", method, ...options]);
  const listTools = async () => ({ names: namesIn((await run("tools/list")).tools, "name"), nextCursor: undefined });
  await listTools();
  return {
    revision: undefined,
    listTools,
    callTool: async (name, args) =>
      toolAnswer(await run("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args))),
    listResources: async () => namesIn((await run("resources/list")).resources, "uri"),
    readResource: async (uri) => textOf((await run("resources/read", "--uri", uri)).contents),
    listTemplates: async () => namesIn((await run("resources/templates/list")).resourceTemplates, "uriTemplate"),
    listPrompts: async () => namesIn((await run("prompts/list")).prompts, "name"),
    getPrompt: async (name, args) => {
      const given = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      const { messages } = await run("prompts/get", "--prompt-name", name, "--prompt-args", ...given);
      return Array.isArray(messages) && isRecord(messages[0]) ? textOf([messages[0].content]) : "";
    },
    close: async () => undefined,
  };
}

function targetOf(endpoint: Endpoint): string[] {
  if (endpoint.kind === "stdio") return [endpoint.command, ...endpoint.args];
  return ["--server-url", endpoint.url, "--transport", endpoint.kind];
}

/** The result that the command prints. A tool that failed has one as well, under another status. */
async function inspect(args: readonly string[]): Promise<Record<string, unknown>> {
  const folder = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  const launcher = join(folder, "clients", "launcher", "build", "index.js");
  // It keeps notes about servers, which are of no use here.
  const env = { ...process.env, HOME: tmpdir(), MCP_CATALOG_PATH: join(tmpdir(), "parley-interop-catalog.json") };
  const child = spawn(newerNode(), [launcher, "--cli", ...args, "--format", "json", "--quiet"], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  const [output, complaint] = await Promise.all([textFrom(child.stdout), textFrom(child.stderr)]);
  if (output.trim() === "") throw new Error(`The Inspector printed nothing but: ${complaint.trim().slice(0, 300)}`);
  const printed: unknown = JSON.parse(output);
  return isRecord(printed) && isRecord(printed.result) ? printed.result : {};
}

async function textFrom(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}

function namesIn(items: unknown, key: string): string[] {
  return Array.isArray(items) ? items.map((item: unknown) => (isRecord(item) ? String(item[key]) : "")) : [];
}
