/** The server of the workload with plain JSON Schema: the official SDK, second generation. It brings Zod for itself. */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { INPUT_SCHEMA, type Order, OUTPUT_SCHEMA, quote } from "../json-schema-workload.js";

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  const schemas = { inputSchema: fromJsonSchema<Order>(INPUT_SCHEMA), outputSchema: fromJsonSchema(OUTPUT_SCHEMA) };
  server.registerTool("quote", { description: "Price an order", ...schemas }, (order) => {
    const structuredContent = quote(order);
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  return server;
});
