/**
 * Serves the sandbox page for the app, and nothing else. It has a port of its own, and so an origin of its own: what runs in the app's
 * frame reaches neither the status page nor the endpoint.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { sandboxPage } from "parley-mcp/apps";

export interface SandboxServer {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** `hosts` are the origins of pages that may show the sandbox page. They are asked at each request. */
export async function serveSandbox(hosts: () => readonly string[]): Promise<SandboxServer> {
  const server = createServer(({ method, url = "/" }, response) => {
    // Not by `new URL`, which throws for paths such as "//".
    const host = new URLSearchParams(url.split("?")[1]).get("host");
    const allowed = hosts().find((origin) => origin === host);
    if (method !== "GET" || allowed === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("Not found; the status page shows the app\n");
      return;
    }
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        // The inner frame inherits this policy. The sandbox page itself sets the policy of the app.
        "content-security-policy": `frame-ancestors ${allowed}`,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      })
      .end(sandboxPage(allowed));
  });
  // A worker of node:cluster has its own, which the primary process does not count.
  server.listen({ port: 0, host: "127.0.0.1", exclusive: true });
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
