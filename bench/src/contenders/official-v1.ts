/** The official SDK, first generation: its own client and server over its in-memory transport. It has no modern era. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Contender } from "../contender.js";
import { type Answer, DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../workload.js";

export const officialV1Legacy: Contender = {
  name: "official v1",
  era: "legacy",
  role: "peer",
  async start() {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = new McpServer({ name: "bench", version: "1.0.0" });
    server.registerTool(TOOL, { description: DESCRIPTION, inputSchema, outputSchema }, quoteResult);
    await server.connect(far);
    const client = new Client({ name: "bench", version: "1.0.0" });
    await client.connect(near);
    await client.listTools();
    return {
      // Its return type still offers the result of a revision before tools had content; `check` decides.
      call: (order) => client.callTool({ name: TOOL, arguments: order }) as Promise<Answer>,
      stop: async () => {
        await client.close();
        await server.close();
      },
    };
  },
};
