/** What sessions and streams cost at least: an entry in a map, and a response of bare `node:http` that is held open. */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Listening } from "../http/http-contender.js";
import { listen } from "../http/servers/listening.js";

const EVENT = 'data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}\n\n';

export function serve(): Promise<Listening> {
  const sessions = new Map<string, { readonly openedAt: number }>();
  const streams = new Set<ServerResponse>();
  return listen((request, response) => {
    const hold = () => {
      streams.add(response);
      response.on("close", () => streams.delete(response));
      response.writeHead(200, { "content-type": "text/event-stream" }).write(EVENT);
    };
    if (request.method === "GET") return hold();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // Written by the visitors of this measure.
      const { method, id } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { method: string; id?: number };
      if (method === "subscriptions/listen") return hold();
      if (id === undefined) return response.writeHead(202).end();
      const sessionId = randomUUID();
      sessions.set(sessionId, { openedAt: Date.now() });
      const headers = { "content-type": "application/json", "mcp-session-id": sessionId };
      return response
        .writeHead(200, headers)
        .end(`{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25"}}`);
    });
    return undefined;
  });
}
