/** The two routes beside the MCP endpoint: the page, and the stream of events that keeps it up to date. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { McpServer } from "parley-mcp/server";
import type { Addresses } from "./connecting.js";
import { readOffer } from "./offer.js";
import { CONTENT_SECURITY_POLICY, renderPage } from "./page.js";
import type { RequestLog } from "./request-log.js";

const MAX_WATCHERS = 16;
/** A browser that does not read is cut off, and comes back by itself. */
const MAX_QUEUED_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;

const HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export interface StatusPage {
  readonly serve: RequestListener;
  /** Ends the event streams. */
  close(): void;
}

/** `addresses` is asked at each request: a port may be known only once the server listens. */
export function createStatusPage(server: McpServer, log: RequestLog, addresses: () => Addresses): StatusPage {
  const watchers = new Set<ServerResponse>();

  async function servePage(response: ServerResponse): Promise<void> {
    try {
      const page = renderPage(await readOffer(server), addresses());
      response.writeHead(200, { ...HEADERS, "content-type": "text/html; charset=utf-8" }).end(page);
    } catch (error) {
      console.error("The status page could not be made:", error);
      refuse(response, 500, "Internal error");
    }
  }

  function serveEvents(response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    const send = (text: string) => {
      if (response.writableLength > MAX_QUEUED_BYTES) response.destroy();
      else response.write(text);
    };
    const stop = log.watch((update) => send(`data: ${JSON.stringify(update)}\n\n`));
    const keepAlive = setInterval(() => send(":\n\n"), KEEP_ALIVE_MS);
    watchers.add(response);
    response.on("close", () => {
      stop();
      clearInterval(keepAlive);
      watchers.delete(response);
    });
  }

  function serve({ method, url }: IncomingMessage, response: ServerResponse): void {
    const path = url?.split("?")[0];
    if (path !== "/" && path !== "/events") refuse(response, 404, "Not found; the page is at /");
    else if (method !== "GET") refuse(response, 405, "Only GET is served here", { allow: "GET" });
    else if (path === "/") void servePage(response);
    else if (watchers.size < MAX_WATCHERS) serveEvents(response);
    else refuse(response, 503, "Too many pages watch already");
  }

  return {
    serve,
    close: () => {
      for (const response of watchers) response.end();
    },
  };
}

function refuse(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...HEADERS, ...headers, "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
