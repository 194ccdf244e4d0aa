/** A server of the official v1 package on Express, behind the gate of `mcp-auth`. Users log in at our authorization server. */
import type { Server } from "node:http";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { MCPAuth } from "mcp-auth";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { freePort } from "../servers/free-port.js";
import { listenWithFetch } from "../servers/http-listener.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";

const HOUR_MS = 3_600_000;
/** Longer than a grant lasts, and shorter than a client is remembered. */
const HUNDRED_DAYS_MS = 100 * 24 * HOUR_MS;

export const mcpAuthLoginServer: LoginServer = {
  name: "mcp-auth",
  authorizationServer: "Parley",
  packageNames: ["mcp-auth", "parley-mcp"],
  lacks: {},
  departs: {
    "step-up": { id: "missing-scopes-without-a-challenge", complaint: /status 403 .*missing_required_scopes/ },
  },
  start: async () => {
    let passedMs = 0;
    const now = () => Date.now() + passedMs;
    const [port, loginPort] = [await freePort(), await freePort()];
    const resource = `http://localhost:${port}/mcp`;
    const issuer = `http://localhost:${loginPort}`;
    const login = authorizationServer({
      issuer,
      resources: [{ resource, scopes: Object.values(SCOPES) }],
      users: [{ subject: USER.name, passwordHash: await hashPassword(USER.password) }],
      now,
    });
    const issuing = await listenWithFetch(async (request) => (await login.handle(request)) ?? null, loginPort);
    const authorizationServers = [{ issuer, type: "oauth" as const }];
    const metadata = { resource, authorizationServers, scopesSupported: [SCOPES.read] };
    const auth = new MCPAuth({ protectedResources: { metadata } });
    const jwtVerify = {
      get currentDate() {
        return new Date(now());
      },
    };
    const gate = (...requiredScopes: string[]) =>
      auth.bearerAuth("jwt", {
        resource,
        audience: resource,
        requiredScopes,
        jwtVerify,
        // The keys change with the clock of the test, sooner than it asks for them again.
        remoteJwkSet: { cooldownDuration: 0 },
      });
    const [forAll, forWriting] = [gate(SCOPES.read), gate(SCOPES.read, SCOPES.write)];
    const app = createMcpExpressApp();
    app.use(auth.protectedResourceMetadataRouter());
    app.post(
      "/mcp",
      (request, response, next) =>
        (request.body?.params?.name === "write" ? forWriting : forAll)(request, response, next),
      async (request, response) => {
        const transport = new StreamableHTTPServerTransport({});
        // Its types leave out that optional members may be undefined.
        await notes().connect(transport as Transport);
        await transport.handleRequest(request, response, request.body);
      },
    );
    const listening = await new Promise<Server>((resolve) => {
      const server = app.listen(port, "localhost", () => resolve(server));
    });
    return {
      url: resource,
      subject: USER.name,
      now,
      expireAccessTokens: async () => {
        passedMs += HOUR_MS;
      },
      expireGrants: async () => {
        passedMs += HUNDRED_DAYS_MS;
      },
      [Symbol.asyncDispose]: async () => {
        listening.closeAllConnections();
        await new Promise<void>((resolve) => void listening.close(() => resolve()));
        await issuing[Symbol.asyncDispose]();
      },
    };
  },
};

function notes(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const saying = (text: unknown) => ({ content: [{ type: "text" as const, text: String(text) }] });
  server.registerTool("whoami", {}, ({ authInfo }) => saying(authInfo?.subject));
  server.registerTool("write", {}, () => saying("written"));
  return server;
}
