/** The routes beside the MCP endpoint: the page, the stream of events that keeps it up to date, and the modules of its app's host. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { McpServer } from "parley-mcp/server";
import type { Addresses } from "./connecting.js";
import { readOffer } from "./offer.js";
import { type AppView, contentSecurityPolicy, renderPage } from "./page.js";
import type { RequestLog } from "./request-log.js";
import { isModulePath, readModule } from "./sdk-modules.js";

const MAX_WATCHERS = 16;
/** A browser that does not read is cut off, and comes back by itself. */
const MAX_QUEUED_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;

const HEADERS = {
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

export interface StatusPageOptions {
  readonly server: McpServer;
  readonly log: RequestLog;
  /** Asked at each request: a port may be known only once the server listens. */
  readonly addresses: () => Addresses;
  /** @defaultValue the page says where the app can be seen */
  readonly app?: AppView | undefined;
}

export function createStatusPage({ server, log, addresses, app }: StatusPageOptions): StatusPage {
  const watchers = new Set<ServerResponse>();
  const policy = { "content-security-policy": contentSecurityPolicy(app) };

  async function servePage(response: ServerResponse): Promise<void> {
    try {
      const page = renderPage(await readOffer(server), addresses(), app);
      response.writeHead(200, { ...HEADERS, ...policy, "content-type": "text/html; charset=utf-8" }).end(page);
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

  async function serveModule(path: string, response: ServerResponse): Promise<void> {
    const module = await readModule(path);
    if (module === undefined) refuse(response, 404, "Not found; there is no such module");
    else response.writeHead(200, { ...HEADERS, "content-type": "text/javascript; charset=utf-8" }).end(module);
  }

  function serve({ method, url = "/" }: IncomingMessage, response: ServerResponse): void {
    const [path = "/"] = url.split("?");
    const isModule = isModulePath(path);
    if (path !== "/" && path !== "/events" && !isModule) refuse(response, 404, "Not found; the page is at /");
    else if (method !== "GET") refuse(response, 405, "Only GET is served here", { allow: "GET" });
    else if (path === "/") void servePage(response);
    else if (isModule) void serveModule(path, response);
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
