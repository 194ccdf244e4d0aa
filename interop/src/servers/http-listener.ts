/** HTTP servers for implementations that bring none of their own. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Endpoint } from "../peer-client.js";
import type { RunningServer } from "../server-peer.js";

/** What a server receives has both; Node's type is shared with what a client receives. */
export type ServedRequest = IncomingMessage & { method: string; url: string };

export type Listener = (request: ServedRequest, response: ServerResponse) => Promise<void> | void;

export async function listen(listener: Listener, kind: "http" | "sse" = "http", port = 0): Promise<RunningServer> {
  const server = createServer((request, response) => {
    Promise.resolve(listener(request as ServedRequest, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(port, "localhost", resolve));
  // A server that listens has an address with a port.
  const address = server.address() as AddressInfo;
  const endpoint: Endpoint = { kind, url: `http://localhost:${address.port}/mcp` };
  return {
    endpoint,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Serves a web-standard handler. */
export function listenWithFetch(
  handle: (request: Request) => Response | null | Promise<Response | null>,
  port = 0,
): Promise<RunningServer> {
  const serve: Listener = async (incoming, outgoing) => {
    const ended = new AbortController();
    outgoing.on("close", () => ended.abort());
    const answer = (await handle(webRequest(incoming, ended.signal))) ?? new Response(undefined, { status: 404 });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.flushHeaders();
    if (answer.body) await pump(answer.body, outgoing);
    outgoing.end();
  };
  return listen(serve, "http", port);
}

function webRequest(incoming: ServedRequest, signal: AbortSignal): Request {
  const { method, url, headers } = incoming;
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const hasBody = method === "POST";
  return new Request(new URL(url, `http://${headers.host}`), {
    method,
    headers: given,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" as const }),
  });
}

async function pump(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  outgoing.on("close", () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    outgoing.write(value);
  }
}
