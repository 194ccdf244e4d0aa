/** The server of the workload over stdio: Parley. */
import { serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { DESCRIPTION, inputSchema, outputSchema, quote, TOOL, UNREACHED_RATES } from "../../workload.js";

const server = new McpServer({ name: "bench", version: "1.0.0", rateLimits: UNREACHED_RATES });
server.tool(TOOL, { description: DESCRIPTION, input: inputSchema, output: outputSchema }, quote);
await serveStdio(server);
