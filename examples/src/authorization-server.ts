/** An authorization server by itself: users log in here, services show a secret, and MCP servers elsewhere take its tokens. */
import { serve } from "@hono/node-server";
import { FileAuthorizationStore } from "parley-mcp/oauth/node";
import { authorizationServer } from "parley-mcp/oauth/server";
import { LIBRARY_SCOPES } from "./library-server.js";

const { PASSWORD_HASH, SERVICE_SECRET, STORE, RESOURCE = "http://127.0.0.1:3000/mcp" } = process.env;
const port = Number(process.env.PORT ?? 4000);
if (PASSWORD_HASH === undefined || SERVICE_SECRET === undefined || STORE === undefined) {
  console.error(
    "Set PASSWORD_HASH (of alice, by hashPassword), SERVICE_SECRET (of the service) and STORE (the file that state is kept in)",
  );
  process.exit(2);
}

const login = authorizationServer({
  // Behind a proxy this is the public URL: https://login.example.com
  issuer: `http://127.0.0.1:${port}`,
  // Tokens are issued for these alone, and each is good at one of them.
  resources: [{ resource: RESOURCE, scopes: Object.values(LIBRARY_SCOPES) }],
  // Without a file, a restart forgets keys and grants, and every user has to log in again.
  store: await FileAuthorizationStore.open(STORE),
  // A new hash logs its user out, so the hash is kept and not made at each start.
  users: [{ subject: "alice", passwordHash: PASSWORD_HASH }],
  clients: [
    {
      clientId: "inventory-service",
      clientSecret: SERVICE_SECRET,
      grantTypes: ["client_credentials"],
      scopes: [LIBRARY_SCOPES.read],
    },
  ],
});

const http = serve(
  {
    hostname: "127.0.0.1",
    port,
    fetch: async (request, { incoming }) => {
      // The address is what attempts to log in are counted by.
      const response = await login.handle(request, { address: incoming.socket.remoteAddress });
      return response ?? new Response("Not found", { status: 404 });
    },
  },
  () => console.log(`issues tokens as ${login.issuer}`),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => http.close());
