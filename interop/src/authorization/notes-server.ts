/** Our server behind a gate: with our own authorization server, or with somebody else's. */
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { freePort } from "../servers/free-port.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";
import { StandaloneStreams } from "./standalone-streams.js";

const HOUR_MS = 3_600_000;
/** Longer than a grant lasts, and shorter than a client is remembered. */
const HUNDRED_DAYS_MS = 100 * 24 * HOUR_MS;

export function notesServer(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.tool("whoami", {}, (_args, { auth }) => `${auth?.subject}`);
  server.tool("write", { scopes: [SCOPES.read, SCOPES.write] }, () => "written");
  return server;
}

export const ourLoginServer: LoginServer = {
  name: "Parley",
  authorizationServer: "Parley",
  packageNames: ["parley-mcp"],
  lacks: {},
  start: async () => {
    let passedMs = 0;
    const now = () => Date.now() + passedMs;
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const resource = `${issuer}/mcp`;
    const login = authorizationServer({
      issuer,
      resources: [{ resource, scopes: Object.values(SCOPES) }],
      users: [{ subject: USER.name, passwordHash: await hashPassword(USER.password) }],
      now,
    });
    const verifier = login.verifyAccessToken;
    const streams = new StandaloneStreams();
    const gate = protectedResource({ resource, issuer, verifier, now, scopesSupported: [SCOPES.read] });
    const host = await serveHttp(notesServer(), {
      port,
      authorization: streams.behind(gate),
      routes: [login.handle],
      onResponse: streams.observe,
    });
    return {
      url: host.url,
      subject: USER.name,
      now,
      expireAccessTokens: async () => {
        await streams.allOpen();
        passedMs += HOUR_MS;
      },
      expireGrants: async () => {
        await streams.allOpen();
        passedMs += HUNDRED_DAYS_MS;
      },
      [Symbol.asyncDispose]: () => host.close(),
    };
  },
};
