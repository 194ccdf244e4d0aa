/** The official SDK, second generation: its handler in the modern era, its `node:http` transport in the legacy one. */
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Tool } from "../../tools.js";
import { quoteResult } from "../../workload.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";
import { withSessions } from "./sessions.js";

export const serve: Serve = async (mode, tools) => {
  if (mode === "modern") {
    const handle = toNodeHandler(createMcpHandler(() => createServer(tools)));
    // Its type asks for a method that is never undefined; a server's requests have one.
    return listen((request, response) => handle(request as Parameters<typeof handle>[0], response));
  }
  return listen(
    withSessions(mode === "legacy sessions", async (options) => {
      const transport = new NodeStreamableHTTPServerTransport(options);
      await createServer(tools).connect(transport);
      return transport;
    }),
  );
};

function createServer(tools: readonly Tool[]): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { name, ...definition } of tools) server.registerTool(name, definition, quoteResult);
  return server;
}
