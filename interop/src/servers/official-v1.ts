/** The official v1 server in every mode. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import {
  StreamableHTTPServerTransport,
  type StreamableHTTPServerTransportOptions,
} from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { exhibit, HungCalls } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, overSse, overStdio, plainJson, stateless } from "../modes.js";
import type { RunningServer, ServerPeer } from "../server-peer.js";
import { listen } from "./http-listener.js";
import { officialV1Server } from "./official-v1-definition.js";
import { builtProgram, spawned } from "./program.js";
import { ReplayedEvents } from "./replayed-events.js";

const lacks = { ...legacy, ...lack("lists come in one page", "pagination") };

export const officialV1: ServerPeer = {
  name: "official v1",
  packageName: "@modelcontextprotocol/sdk",
  exhibit,
  modes: [
    {
      name: "stdio",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...lacks, ...overStdio },
      start: spawned(builtProgram("official-v1-stdio")),
    },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision: "2025-11-25",
      lacks,
      start: () => serveSessions(() => ({ eventStore: new ReplayedEvents<JSONRPCMessage>(), retryInterval: 20 })),
    },
    {
      name: "HTTP stateless",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...lacks, ...stateless },
      start: serveAlone,
    },
    {
      name: "HTTP JSON",
      era: "legacy",
      revision: "2025-11-25",
      lacks: { ...lacks, ...plainJson },
      start: () => serveSessions(() => ({ enableJsonResponse: true })),
    },
    { name: "HTTP+SSE", era: "legacy", revision: "2025-11-25", lacks: { ...lacks, ...overSse }, start: serveSse },
  ],
};

function serveSessions(options: () => StreamableHTTPServerTransportOptions): Promise<RunningServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const hung = new HungCalls();
  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      ...options(),
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await serve(transport, hung);
    return transport;
  };
  return listen(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = sessions.get(String(id));
    if (id !== undefined && !known) return refuse(response, 404);
    await (known ?? (await begin())).handleRequest(request, response);
  });
}

function serveAlone(): Promise<RunningServer> {
  const hung = new HungCalls();
  return listen(async (request, response) => {
    if (request.method !== "POST") return refuse(response, 405);
    const transport = new StreamableHTTPServerTransport({});
    await serve(transport, hung);
    await transport.handleRequest(request, response);
  });
}

function serveSse(): Promise<RunningServer> {
  const sessions = new Map<string, SSEServerTransport>();
  const hung = new HungCalls();
  const open = async (response: ServerResponse) => {
    const transport = new SSEServerTransport("/messages", response);
    sessions.set(transport.sessionId, transport);
    await serve(transport, hung);
  };
  const post = async (request: IncomingMessage, response: ServerResponse, id: string | null) => {
    const transport = sessions.get(id ?? "");
    if (!transport) return refuse(response, 404);
    await transport.handlePostMessage(request, response);
  };
  return listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/messages") return post(request, response, searchParams.get("sessionId"));
    return request.method === "GET" ? open(response) : refuse(response, 405);
  }, "sse");
}

/** Its types leave out that optional members may be undefined. */
async function serve(transport: unknown, hung: HungCalls): Promise<void> {
  await officialV1Server(hung).connect(transport as Transport);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
