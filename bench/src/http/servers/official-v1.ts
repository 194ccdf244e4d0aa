/** The official SDK, first generation, behind bare `node:http`. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { quoteResult } from "../../workload.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";
import { withSessions } from "./sessions.js";

export const serve: Serve = async (mode, tools) =>
  listen(
    withSessions(mode === "legacy sessions", async (options) => {
      const server = new McpServer({ name: "bench", version: "1.0.0" });
      for (const { name, ...definition } of tools) server.registerTool(name, definition, quoteResult);
      const transport = new StreamableHTTPServerTransport(options);
      await server.connect(transport);
      return transport;
    }),
  );
