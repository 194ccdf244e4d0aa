/** A client for the command line: connects to any server, lists what it offers, and calls one of its tools. */
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Client } from "parley-mcp/client";
import type { ContentBlock, ElicitFormParams, ElicitResult, JsonObject } from "parley-mcp/types";
import { targetFrom } from "./command-line-target.js";

const USAGE = `usage: client.js [--tool NAME [--args JSON]] URL
       client.js [--tool NAME [--args JSON]] -- COMMAND [ARGUMENT...]`;

const { values, positionals } = parseArgs({
  options: { tool: { type: "string" }, args: { type: "string", default: "{}" } },
  allowPositionals: true,
});
const target = targetFrom(positionals);
if (!target) {
  console.error(USAGE);
  process.exit(2);
}

await using client = await Client.connect(target, { name: "command-line", version: "1.0.0", elicit: fillIn });

console.log(`connected to ${client.serverInfo?.name} by ${client.revision}`);
if (client.instructions) console.log(client.instructions);

if (values.tool === undefined) await list();
else await call(values.tool, JSON.parse(values.args));

async function list(): Promise<void> {
  const { tools, resources, prompts } = client.serverCapabilities ?? {};
  if (tools) for await (const { name, description = "" } of client.tools()) print("tool", name, description);
  if (resources) {
    for await (const { uri, title, name } of client.resources()) print("resource", uri, title ?? name);
    for await (const { uriTemplate, title, name } of client.resourceTemplates()) {
      print("template", uriTemplate, title ?? name);
    }
  }
  if (prompts) for await (const { name, description = "" } of client.prompts()) print("prompt", name, description);
}

async function call(tool: string, args: JsonObject): Promise<void> {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  const { content, structuredContent, isError } = await client.callTool(tool, args, {
    signal: controller.signal,
    onProgress: ({ progress, total = "?", message = "" }) => console.error(`  ${progress}/${total} ${message}`),
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  for (const block of content) console.log(textOf(block));
  if (structuredContent !== undefined) console.log("value:", JSON.stringify(structuredContent));
  if (isError) process.exitCode = 1;
}

/** Asks the user field by field; an empty line leaves a field to its default, the end of the input declines. */
async function fillIn({ message, requestedSchema }: ElicitFormParams): Promise<ElicitResult> {
  const lines = createInterface({ input: process.stdin });
  const typed = lines[Symbol.asyncIterator]();
  const content: NonNullable<ElicitResult["content"]> = {};
  console.error(message);
  try {
    for (const [name, { description = name, type }] of Object.entries(requestedSchema.properties)) {
      console.error(`  ${description}:`);
      const { value, done } = await typed.next();
      if (done) return { action: "decline" };
      if (value !== "") content[name] = type === "string" ? value : JSON.parse(value);
    }
    return { action: "accept", content };
  } finally {
    lines.close();
  }
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return `[${block.uri}]`;
  return `[${block.type}]`;
}

function print(kind: string, name: string, about: string): void {
  console.log(`${kind.padEnd(9)} ${name.padEnd(24)} ${about}`);
}
