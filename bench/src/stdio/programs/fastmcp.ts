/** The server of the workload over stdio: fastmcp. */
import { FastMCP } from "fastmcp";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../../workload.js";

const server = new FastMCP({ name: "bench", version: "1.0.0" });
server.addTool({
  name: TOOL,
  description: DESCRIPTION,
  parameters: inputSchema,
  outputSchema,
  execute: async (order) => quoteResult(order),
});
await server.start({ transportType: "stdio" });
