/** The authorization server under test. It prints its URL and serves until it is told to stop. */
import { once } from "node:events";
import { createServer } from "node:net";
import { serveHttp } from "parley-mcp/node";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { CLIENT_ID, PASSWORD, USER } from "./registered.js";

const PATH = "/mcp";

// Clients know an issuer by its URL, so the port is chosen before the server listens.
const holder = createServer().listen(0, "127.0.0.1");
await once(holder, "listening");
const address = holder.address();
const port = address !== null && typeof address === "object" ? address.port : 0;
holder.close();
await once(holder, "close");

const issuer = `http://127.0.0.1:${port}`;
const login = authorizationServer({
  issuer,
  resources: [`${issuer}${PATH}`],
  users: [{ subject: USER, passwordHash: await hashPassword(PASSWORD) }],
  // The port of a loopback redirect is free.
  clients: [{ clientId: CLIENT_ID, name: "The referee", redirectUris: ["http://127.0.0.1/callback"] }],
});
const server = new McpServer({ name: "behind-a-login", version: "1.0.0" });
const { close } = await serveHttp(server, { port, path: PATH, routes: [login.handle] });
console.log(issuer);
process.once("SIGTERM", () => void close());
