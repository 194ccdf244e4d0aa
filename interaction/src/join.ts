/** How a client and a server are joined in each kind of connection, with every message open to view. */
import { PassThrough } from "node:stream";
import { Client, type ClientOptions, HttpTransport } from "parley-mcp/client";
import { type ServeHttpOptions, StreamTransport, serveHttp, serveStdio } from "parley-mcp/node";
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
