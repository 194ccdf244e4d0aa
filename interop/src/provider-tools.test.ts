/** Helpers of model providers that take a client of the official SDK: they are given ours. Nothing leaves the machine. */
import { type MCPClientLike, type MCPToolLike, mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp";
import { mcpToTool } from "@google/genai";
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { Tool } from "parley-mcp/types";
import { afterEach, beforeEach, expect, test } from "vitest";

const INPUT = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;

let client: Client;
beforeEach(async () => {
  const server = new McpServer({ name: "sums", version: "1.0.0", pageSize: 1 });
  server.tool(
    "add",
    { description: "Adds two numbers", input: INPUT },
    ({ a, b }: { a: number; b: number }) => `${a + b}`,
  );
  server.tool("fail", {}, () => ({ content: [{ type: "text", text: "out of numbers" }], isError: true }));
  server.tool("wait", {}, () => new Promise<string>(() => undefined));
  client = await Client.connect(server, { name: "helpers", version: "1.0.0" });
});
afterEach(() => client.close());

async function runnable(name: string) {
  const found: Tool[] = [];
  for await (const tool of client.tools()) if (tool.name === name) found.push(tool);
  // The helper's types know objects as input and as structured output; any value is allowed since 2026-07-28.
  const [tool] = mcpTools(found as unknown as MCPToolLike[], client as unknown as MCPClientLike);
  if (!tool) throw new Error(`There is no tool ${name}`);
  return tool;
}

test("mcpTools of Anthropic describes a tool and runs it", async () => {
  const add = await runnable("add");
  expect(add).toMatchObject({ name: "add", description: "Adds two numbers", input_schema: INPUT });
  expect(await add.run({ a: 2, b: 3 })).toMatchObject([{ type: "text", text: "5" }]);
});

test("mcpTools of Anthropic raises what a tool failed with", async () => {
  const fail = await runnable("fail");
  await expect(fail.run({})).rejects.toThrow("out of numbers");
});

test("mcpToTool of Google declares the tools of all pages and calls one", async () => {
  const callable = mcpToTool(client as never);
  const { functionDeclarations } = await callable.tool();
  expect(functionDeclarations?.map(({ name }) => name)).toEqual(["add", "fail", "wait"]);
  const parts = await callable.callTool([{ name: "add", args: { a: 2, b: 3 } }]);
  expect(parts[0]?.functionResponse?.response?.content).toEqual([{ type: "text", text: "5" }]);
  const failed = await callable.callTool([{ name: "fail", args: {} }]);
  expect(failed[0]?.functionResponse?.response?.error).toMatchObject({ isError: true });
});

test("mcpToTool of Google gives up a call after the timeout of its config", async () => {
  const callable = mcpToTool(client as never, { timeout: 20 } as never);
  await expect(callable.callTool([{ name: "wait", args: {} }])).rejects.toMatchObject({ code: "request-timeout" });
});
