/** The official SDK, second generation: its own client and server over its in-memory transport, in either era. */
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Contender, REVISION, type Session } from "../contender.js";
import { DESCRIPTION, inputSchema, outputSchema, quoteResult, TOOL } from "../workload.js";

export const officialV2Modern: Contender = {
  name: "official v2",
  era: "modern",
  role: "peer",
  async start() {
    const [near, far] = InMemoryTransport.createLinkedPair();
    // Only a serving entry speaks the modern era; this is the one that takes a transport.
    const handle = serveStdio(createServer, { transport: far });
    const client = new Client(
      { name: "bench", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: REVISION.modern } } },
    );
    await client.connect(near);
    return session(client, () => handle.close());
  },
};

export const officialV2Legacy: Contender = {
  name: "official v2",
  era: "legacy",
  role: "peer",
  async start() {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = createServer();
    await server.connect(far);
    const client = new Client({ name: "bench", version: "1.0.0" }, { supportedProtocolVersions: [REVISION.legacy] });
    await client.connect(near);
    return session(client, () => server.close());
  },
};

function createServer(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(TOOL, { description: DESCRIPTION, inputSchema, outputSchema }, quoteResult);
  return server;
}

async function session(client: Client, stopServer: () => Promise<void>): Promise<Session> {
  await client.listTools();
  return {
    call: (order) => client.callTool({ name: TOOL, arguments: order }),
    stop: async () => {
      await client.close();
      await stopServer();
    },
  };
}
