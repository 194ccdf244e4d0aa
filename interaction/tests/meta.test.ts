import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies("meta:request-to-handler", "the caller's _meta reaches the handler", async ({ connect }) => {
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  server.tool("read", {}, (_args, context) => JSON.stringify(context.meta["com.example/trace"]));
  const client = await connect(server);

  const trace = { span: [1, 2] };
  const { content } = await client.callTool("read", {}, { meta: { "com.example/trace": trace } });

  expect(content).toEqual([{ type: "text", text: JSON.stringify(trace) }]);
});
