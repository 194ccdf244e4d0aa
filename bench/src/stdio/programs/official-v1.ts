/** The server of the workload over stdio: the official SDK, first generation. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../../workload.js";

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool(TOOL, { description: DESCRIPTION, inputSchema, outputSchema }, quoteResult);
await server.connect(new StdioServerTransport());
