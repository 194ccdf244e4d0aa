/** mcp-lite with its HTTP transport. */
import { getRequestListener } from "@hono/node-server";
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { quoteResult } from "../../workload.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";

export const serve: Serve = async (mode, tools) => {
  const server = new McpServer({
    name: "bench",
    version: "1.0.0",
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType), // All schemas of the bench are Zod's.
  });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.tool(name, { description, inputSchema, outputSchema, handler: quoteResult });
  }
  const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1_024 }) };
  const transport = new StreamableHttpTransport(mode === "legacy sessions" ? sessions : {});
  const respond = transport.bind(server);
  return await listen(getRequestListener((request) => respond(request)));
};
