/** Parley as it comes: `serveHttp` with its checks and limits on, and a rate that no measurement reaches. */
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import type { Tool } from "../../tools.js";
import { type Order, type Quote, quote, UNREACHED_RATES } from "../../workload.js";
import type { Serve } from "../http-contender.js";

export const serve: Serve = (mode, tools) =>
  serveHttp(defineServer(tools), { legacy: { stateless: mode === "legacy stateless" } });

export const serveAsynchronous: Serve = (mode, tools) =>
  serveHttp(
    defineServer(tools, async (order) => quote(order)),
    { legacy: { stateless: mode === "legacy stateless" } },
  );

type Handler = (order: Order) => Quote | Promise<Quote>;

export function defineServer(tools: readonly Tool[], handler: Handler = quote): McpServer {
  const server = new McpServer({
    name: "bench",
    version: "1.0.0",
    pageSize: tools.length,
    rateLimits: UNREACHED_RATES,
  });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.tool(name, { description, input: inputSchema, output: outputSchema }, handler);
  }
  return server;
}
