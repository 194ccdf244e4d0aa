/** tmcp with its HTTP transport. */
import { getRequestListener } from "@hono/node-server";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import { quoteResult } from "../../workload.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";

export const serve: Serve = async (_mode, tools) => {
  const server = new McpServer(
    { name: "bench", version: "1.0.0", description: "bench" },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
  );
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.tool({ name, description, schema: inputSchema, outputSchema }, quoteResult);
  }
  const transport = new HttpTransport(server, { path: "/mcp" });
  return await listen(
    getRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  );
};
