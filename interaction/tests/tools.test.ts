import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../src/verifies.js";

verifies("tools:call:content:text", "the arguments reach the handler, and its text comes back", async ({ connect }) => {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
  const client = await connect(server);

  const { content, isError } = await client.callTool("add", { a: 2, b: 3 });

  expect(content).toEqual([{ type: "text", text: "5" }]);
  expect(isError ?? false).toBe(false);
});
