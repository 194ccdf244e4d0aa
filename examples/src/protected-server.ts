/** A protected server with its own authorization server: login, consent and tokens at the address of the endpoint. */
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { createLibrary, LIBRARY_SCOPES } from "./library-server.js";

// Both name themselves by their URL, so the port is chosen here and not by the system.
const port = Number(process.env.PORT ?? 3000);
const issuer = `http://127.0.0.1:${port}`;
const resource = `${issuer}/mcp`;

const password = process.env.PASSWORD ?? crypto.randomUUID();

const login = authorizationServer({
  issuer,
  resources: [{ resource, scopes: Object.values(LIBRARY_SCOPES) }],
  users: [{ subject: "alice", passwordHash: await hashPassword(password) }],
});

const http = await serveHttp(createLibrary(), {
  port,
  authorization: protectedResource({
    resource,
    issuer,
    // In one process nothing has to be fetched, and the store is asked whether a token was revoked.
    verifier: login.verifyAccessToken,
    // What clients ask for at first. The scope for borrowing is asked for when somebody borrows.
    scopesSupported: [LIBRARY_SCOPES.read],
    name: "Library",
  }),
  routes: [login.handle],
  onRefusal: (error) => console.log(`refused: ${error.message}`),
});

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void http.close());

console.log(`listening at ${http.url}

  user       alice
  password   ${process.env.PASSWORD === undefined ? password : "the one in PASSWORD"}
  connect    node examples/dist/login-client.js ${http.url}
`);
