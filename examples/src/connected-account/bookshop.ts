/** Somebody else's service: an API with orders, and an authorization server of its own. It knows nothing of MCP. */
import { once } from "node:events";
import { serve } from "@hono/node-server";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, type ConfiguredClient, hashPassword } from "parley-mcp/oauth/server";

const ORDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["reader-7", ["dune", "a lamp"]],
  ["reader-8", ["emma"]],
]);

export interface Bookshop {
  readonly issuer: string;
  readonly orders: string;
  close(): void;
}

/** The shop has customers of its own; here they share a password. */
export async function openBookshop(port: number, password: string, client: ConfiguredClient): Promise<Bookshop> {
  const issuer = `http://127.0.0.1:${port}`;
  const orders = `${issuer}/orders`;
  const passwordHash = await hashPassword(password);
  const login = authorizationServer({
    issuer,
    resources: [orders],
    users: [...ORDERS.keys()].map((subject) => ({ subject, passwordHash })),
    clients: [client],
    registration: false,
    clientDocuments: false,
  });
  const gate = protectedResource({ resource: orders, issuer, verifier: login.verifyAccessToken });
  const http = serve({
    port,
    hostname: "127.0.0.1",
    fetch: async (request) => (await login.handle(request)) ?? api(request),
  });
  await once(http, "listening");
  return { issuer, orders, close: () => void http.close() };

  async function api(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/orders") return new Response("Not found", { status: 404 });
    const auth = await gate.check(request);
    return auth instanceof Response ? auth : Response.json(ORDERS.get(String(auth.subject)));
  }
}
