/**
 * A handler for web-standard runtimes: a `Request` goes in and a `Response` comes out. Nothing here, nor in what it
 * imports, is of Node, so it runs in workers, Deno and Bun as it is; web-server.ts runs it on Node.
 */
import { createFetchHandler } from "parley-mcp/web";
import { createGreenhouse } from "./greenhouse-server.js";

const mcp = createFetchHandler(createGreenhouse(), {
  // The names under which it is deployed. Loopback is allowed where the request comes over it.
  allowedHosts: ["greenhouse.example.com"],
  // Lets pages of this origin call it from a browser.
  cors: { origins: ["https://app.example.com"] },
  // Where the next request may reach another process, sessions have nowhere to live.
  legacy: { stateless: true },
});

/** What a worker exports as its `fetch`. */
export async function fetch(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/mcp") return mcp(request);
  return new Response("The MCP endpoint is at /mcp\n", { status: pathname === "/" ? 200 : 404 });
}

export function close(): Promise<void> {
  return mcp.close();
}
