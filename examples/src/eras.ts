/** The two eras on one server: how client and server find the revision they share, and what an old one gets to see. */
import type { ClientOptions } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { connectInProcess, type WireEntry } from "parley-mcp/testing";
import { REVISIONS } from "parley-mcp/types";

const server = createServer();
const legacyServer = createServer(["2025-06-18", "2025-11-25"]);

await connect("both speak everything", server, {});
await connect("an older server", legacyServer, {});
await connect("a client held to one revision", server, { revisions: ["2025-03-26"] });
await connect("a modern pin: nothing is asked", server, { revision: "2026-07-28" });
await connect("a legacy pin: straight to the handshake", server, { revision: "2025-06-18" });

const negotiated = await connect("a first connection", legacyServer, {});
await connect("the next one, which remembers", legacyServer, { resumeFrom: negotiated });

for (const revision of REVISIONS) {
  console.log(`\n${revision}`);
  await using client = await connectInProcess(server, { revisions: [revision] });
  const { content } = await client.callTool("song");
  for (const block of content) console.log(block.type === "text" ? block.text : `(${block.type})`);
}

function createServer(revisions = REVISIONS): McpServer {
  const created = new McpServer({ name: "jukebox", version: "1.0.0", revisions });
  // One handler for all of them. What a revision has no type for goes out as text.
  created.tool("song", (_args, context) => [
    { type: "text", text: `served as ${context.era}` },
    { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
    { type: "resource_link", uri: "jukebox://songs/7", name: "song 7" },
  ]);
  return created;
}

async function connect(label: string, target: McpServer, options: Partial<ClientOptions>) {
  console.log(`\n${label}`);
  await using client = await connectInProcess(target, { ...options, record: showSent });
  await client.callTool("song");
  console.log(`settled on ${client.revision}, ${client.era}; the server is ${client.serverInfo?.name}`);
  return client.negotiated;
}

function showSent({ from, message }: WireEntry): void {
  if (from === "client" && "method" in message) console.log(`→ ${message.method}`);
}
