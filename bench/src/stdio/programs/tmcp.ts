/** The server of the workload over stdio: tmcp. */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../../workload.js";

const server = new McpServer(
  { name: "bench", version: "1.0.0", description: "bench" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool({ name: TOOL, description: DESCRIPTION, schema: inputSchema, outputSchema }, quoteResult);
new StdioTransport(server).listen();
