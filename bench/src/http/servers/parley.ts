/** Parley as it comes: `serveHttp` with its checks and limits on, and a rate that no measurement reaches. */
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import type { Tool } from "../../tools.js";
import { quote, UNREACHED_RATES } from "../../workload.js";
import type { Serve } from "../http-contender.js";

export const serve: Serve = (mode, tools) =>
  serveHttp(defineServer(tools), { legacy: { stateless: mode === "legacy stateless" } });

export function defineServer(tools: readonly Tool[]): McpServer {
  const server = new McpServer({
    name: "bench",
    version: "1.0.0",
    pageSize: tools.length,
    rateLimits: UNREACHED_RATES,
  });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.tool(name, { description, input: inputSchema, output: outputSchema }, quote);
  }
  return server;
}
