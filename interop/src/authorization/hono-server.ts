/** A server of the official v1 package on Hono, behind the gate of `@hono/mcp`. Users log in at our authorization server. */
import { StreamableHTTPTransport } from "@hono/mcp";
import { bearerAuth, simpleMcpAuthRouter } from "@hono/mcp/auth";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type Context, Hono } from "hono";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { freePort } from "../servers/free-port.js";
import { listenWithFetch } from "../servers/http-listener.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";

const HOUR_MS = 3_600_000;
type Variables = { auth: AuthInfo };
/** Longer than a grant lasts, and shorter than a client is remembered. */
const HUNDRED_DAYS_MS = 100 * 24 * HOUR_MS;

export const honoLoginServer: LoginServer = {
  name: "@hono/mcp",
  authorizationServer: "Parley",
  packageNames: ["@hono/mcp", "parley-mcp"],
  lacks: { "step-up": "its gate knows no scopes" },
  start: async () => {
    let passedMs = 0;
    const now = () => Date.now() + passedMs;
    const [port, loginPort] = [await freePort(), await freePort()];
    const url = `http://localhost:${port}/mcp`;
    const issuer = `http://localhost:${loginPort}`;
    const login = authorizationServer({
      issuer,
      resources: [{ resource: url, scopes: Object.values(SCOPES) }],
      users: [{ subject: USER.name, passwordHash: await hashPassword(USER.password) }],
      now,
    });
    const issuing = await listenWithFetch(async (request) => (await login.handle(request)) ?? null, loginPort);
    const app = new Hono<{ Variables: Variables }>();
    const scopesSupported = [SCOPES.read];
    app.route("/", simpleMcpAuthRouter({ issuer, resourceServerUrl: new URL(url), scopesSupported }));
    const gate = bearerAuth({
      verifyToken: async (token, context) => {
        try {
          const { subject, scopes } = await login.verifyAccessToken(token);
          // Its type of the gate knows no variables, where its transport reads this one.
          (context as Context<{ Variables: Variables }>).set("auth", {
            token,
            clientId: "interop",
            // `mcp-auth` adds this member to the type, for every file that is compiled with it.
            issuer,
            scopes: [...scopes],
            extra: { subject },
          });
          return true;
        } catch {
          return false;
        }
      },
    });
    app.all("/mcp", gate, async (context) => {
      const transport = new StreamableHTTPTransport();
      await notes().connect(transport);
      return transport.handleRequest(context);
    });
    const serving = await listenWithFetch(async (request) => app.fetch(request), port);
    return {
      url,
      subject: USER.name,
      now,
      expireAccessTokens: async () => {
        passedMs += HOUR_MS;
      },
      expireGrants: async () => {
        passedMs += HUNDRED_DAYS_MS;
      },
      [Symbol.asyncDispose]: async () => {
        await serving[Symbol.asyncDispose]();
        await issuing[Symbol.asyncDispose]();
      },
    };
  },
};

function notes(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("whoami", {}, ({ authInfo }) => ({
    content: [{ type: "text", text: String(authInfo?.extra?.subject) }],
  }));
  return server;
}
