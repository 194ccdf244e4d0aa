/** The server of the workload over stdio: the official SDK, second generation. One entry serves both eras. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../../workload.js";

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(TOOL, { description: DESCRIPTION, inputSchema, outputSchema }, quoteResult);
  return server;
});
