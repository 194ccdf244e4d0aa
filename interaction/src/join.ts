/** How a client and a server are joined in each kind of connection, with every message open to view. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { Client, type ClientOptions, HttpTransport } from "parley-mcp/client";
import {
  createNodeHandler,
  InMemoryEventStore,
  InMemorySessionChannel,
  InMemorySessionStore,
  type ServeHttpOptions,
  StreamTransport,
  serveHttp,
  serveStdio,
} from "parley-mcp/node";
import type { McpServer } from "parley-mcp/server";
import { connectInProcess, type JsonRpcMessage, recordTransport, type WireEntry } from "parley-mcp/testing";
import type { Transport } from "parley-mcp/types";
import { createFetchHandler } from "parley-mcp/web";
import type { Connection } from "parley-requirements";

export interface Joined {
  readonly client: Client;
  close(): Promise<void>;
}

/** A client's end of a connection, and how to end the other. */
interface Line {
  readonly transport: Transport;
  close(): Promise<unknown>;
}

const LEGACY: Partial<Record<Connection, ServeHttpOptions["legacy"]>> = {
  "http-stateless": { stateless: true },
  "http-json": { jsonResponses: true },
};

export async function join(
  connection: Connection,
  server: McpServer,
  options: ClientOptions,
  record: (entry: WireEntry) => void,
): Promise<Joined> {
  if (connection === "direct" || connection === "json-rpc") {
    const client = await connectInProcess(server, { ...options, over: connection, record });
    return { client, close: () => client.close() };
  }
  const line = await openLine(connection, server, options.onError);
  const transport = recordTransport(line.transport, (direction, message) =>
    // Both sides are ours, so what is received is a message.
    record({ from: direction === "sent" ? "client" : "server", message: message as JsonRpcMessage }),
  );
  try {
    const client = await Client.connect(transport, options);
    return {
      client,
      close: async () => {
        await client.close();
        await line.close();
      },
    };
  } catch (error) {
    await line.close();
    throw error;
  }
}

function openLine(
  connection: Exclude<Connection, "direct" | "json-rpc">,
  server: McpServer,
  onError: ClientOptions["onError"],
): Promise<Line> {
  switch (connection) {
    case "stdio":
      return overStdio(server);
    case "fetch":
      return overFetch(server, onError);
    case "http-replicas":
      return overReplicas(server, onError);
    case "sse":
      return overSse(server, onError);
    default:
      return overHttp(server, { legacy: LEGACY[connection] }, onError);
  }
}

async function overStdio(server: McpServer): Promise<Line> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(server, { input: toServer, output: toClient });
  return { transport: new StreamTransport({ input: toClient, output: toServer }), close: () => serving.close() };
}

async function overHttp(
  server: McpServer,
  options: ServeHttpOptions,
  onError: ClientOptions["onError"],
): Promise<Line> {
  const { url, close } = await serveHttp(server, { ...options, shutdownGraceMs: 0 });
  return { transport: new HttpTransport(url, { onError }), close };
}

const REPLICAS = 3;

/** Three endpoints that share their stores, as three processes would. Each request of the client goes to the next one. */
async function overReplicas(server: McpServer, onError: ClientOptions["onError"]): Promise<Line> {
  const legacy = {
    sessionStore: new InMemorySessionStore(),
    eventStore: new InMemoryEventStore(),
    sessionChannel: new InMemorySessionChannel(),
  };
  const replicas = Array.from({ length: REPLICAS }, () => createNodeHandler(server, { legacy, shutdownGraceMs: 0 }));
  let next = 0;
  const listener = createServer((request, response) => {
    next = (next + 1) % REPLICAS;
    replicas[next]?.(request, response);
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  // Listening on a port of TCP.
  const { port } = listener.address() as AddressInfo;
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { transport: new HttpTransport(`http://127.0.0.1:${port}/mcp`, { onError }), close };
}

/** The client finds the older transport by itself: its path serves nothing else. */
async function overSse(server: McpServer, onError: ClientOptions["onError"]): Promise<Line> {
  const { url, close } = await serveHttp(server, { legacy: { sse: true }, shutdownGraceMs: 0 });
  return { transport: new HttpTransport(new URL("/sse", url), { onError }), close };
}

async function overFetch(server: McpServer, onError: ClientOptions["onError"]): Promise<Line> {
  const handler = createFetchHandler(server, { shutdownGraceMs: 0 });
  const fetch = (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch, onError });
  // This fetch adds no credentials, so private results may be cached as over the other connections.
  const telling = Object.assign(transport, { connectionHeaders: async () => ({}) });
  return { transport: telling, close: () => handler.close() };
}
