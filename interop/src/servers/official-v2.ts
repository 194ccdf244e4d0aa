/** The official v2 server in every mode. */
import type { IncomingMessage } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { exhibit, HungCalls } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, modern, overStdio, stateless } from "../modes.js";
import type { RunningServer, ServerPeer } from "../server-peer.js";
import { listen } from "./http-listener.js";
import { officialV2Server } from "./official-v2-definition.js";
import { builtProgram, spawned } from "./program.js";
import { ReplayedEvents } from "./replayed-events.js";

const onePage = lack("lists come in one page", "pagination");

export const officialV2: ServerPeer = {
  name: "official v2",
  packageName: "@modelcontextprotocol/server",
  exhibit,
  modes: [
    {
      name: "stdio",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...overStdio, ...onePage },
      start: spawned(builtProgram("official-v2-stdio")),
    },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...onePage },
      start: serveBothEras,
    },
    {
      name: "HTTP stateless",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...legacy, ...stateless, ...onePage },
      start: serveModern,
    },
    {
      name: "modern HTTP",
      era: "modern",
      revision: "2026-07-28",
      lacks: { ...modern, ...onePage },
      start: serveModern,
    },
    {
      name: "modern stdio",
      era: "modern",
      revision: "2026-07-28",
      lacks: { ...modern, ...overStdio, ...onePage },
      start: spawned(builtProgram("official-v2-stdio")),
    },
  ],
};

/** Serves legacy clients without sessions. */
function serveModern(): Promise<RunningServer> {
  return listen(toNodeHandler(modernHandler()));
}

function modernHandler(): ReturnType<typeof createMcpHandler> {
  const hung = new HungCalls();
  const handler: ReturnType<typeof createMcpHandler> = createMcpHandler(() => officialV2Server(hung, handler.notify));
  return handler;
}

/** Serves legacy clients in sessions. */
function serveBothEras(): Promise<RunningServer> {
  const serve = toNodeHandler(modernHandler());
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const hung = new HungCalls();
  const begin = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new ReplayedEvents<JSONRPCMessage>(),
      retryInterval: 20,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await officialV2Server(hung).connect(transport);
    return transport;
  };
  return listen(async (request, response) => {
    const body = await readBody(request);
    if (!(await isLegacyRequest(await toWebRequest(request, body)))) return serve(request, response, body);
    const id = request.headers["mcp-session-id"];
    const known = sessions.get(String(id));
    if (id !== undefined && !known) {
      response.writeHead(404).end();
      return;
    }
    await (known ?? (await begin())).handleRequest(request, response, body);
  });
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}
