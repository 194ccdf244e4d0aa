/** Parley's own client and server: handed over directly in process, and through JSON-RPC over its in-memory transport. */
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { connectInProcess } from "parley-mcp/testing";
import { type Contender, type Era, REVISION, type Session } from "../contender.js";
import { DESCRIPTION, inputSchema, outputSchema, quote, TOOL, UNREACHED_RATES } from "../workload.js";

export const parleyModern: Contender = direct("modern");
export const parleyLegacy: Contender = direct("legacy");
export const parleyJsonRpcModern: Contender = overJsonRpc("modern");
export const parleyJsonRpcLegacy: Contender = overJsonRpc("legacy");

function direct(era: Era): Contender {
  return {
    name: "parley",
    era,
    role: "ours",
    start: async () =>
      session(await Client.connect(createServer(), { name: "bench", version: "1.0.0", revision: REVISION[era] })),
  };
}

function overJsonRpc(era: Era): Contender {
  return {
    name: "parley, JSON-RPC",
    era,
    role: "reference",
    note: "every message written as JSON-RPC and read back, which an in-process connection does not need",
    start: async () => session(await connectInProcess(createServer(), { over: "json-rpc", revision: REVISION[era] })),
  };
}

function createServer(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0", rateLimits: UNREACHED_RATES });
  server.tool(TOOL, { description: DESCRIPTION, input: inputSchema, output: outputSchema }, quote);
  return server;
}

async function session(client: Client): Promise<Session> {
  await client.listTools();
  return { call: (order) => client.callTool(TOOL, order), stop: () => client.close() };
}
