/** A fastmcp server behind its own proxy for authorization, whose users log in at our authorization server. */
import { FastMCP, OAuthProvider, type OAuthSession } from "fastmcp";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { freePort } from "../servers/free-port.js";
import { listenWithFetch } from "../servers/http-listener.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";

const UPSTREAM = { clientId: "fastmcp", clientSecret: "a secret of the proxy" } as const;
/** Its server wants a session that may have any member. */
type Session = OAuthSession & Record<string, unknown>;
const NO_CLOCK = "its tokens last an hour by its own clock";

export const fastMcpLoginServer: LoginServer = {
  name: "fastmcp",
  authorizationServer: "fastmcp, in front of Parley",
  packageNames: ["fastmcp", "parley-mcp"],
  lacks: { refresh: NO_CLOCK, "login again": NO_CLOCK, "step-up": "it hides tools whose scopes are missing" },
  start: async () => {
    const [port, loginPort] = [await freePort(), await freePort()];
    const baseUrl = `http://127.0.0.1:${port}`;
    const issuer = `http://localhost:${loginPort}`;
    const login = authorizationServer({
      issuer,
      resources: [{ resource: `${baseUrl}/mcp`, scopes: Object.values(SCOPES) }],
      users: [{ subject: USER.name, passwordHash: await hashPassword(USER.password) }],
      clients: [{ ...UPSTREAM, redirectUris: [`${baseUrl}/oauth/callback`] }],
    });
    const issuing = await listenWithFetch(async (request) => (await login.handle(request)) ?? null, loginPort);
    const auth = new OAuthProvider<Session>({
      ...UPSTREAM,
      baseUrl,
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `${issuer}/token`,
      scopes: [SCOPES.read],
    });
    const silent = () => undefined;
    const unsupported = async () => undefined;
    const logger = { debug: silent, error: silent, info: silent, log: silent, warn: silent };
    const server = new FastMCP<Session>({
      name: "notes",
      version: "1.0.0",
      auth,
      logger,
    });
    server.addTool({
      name: "whoami",
      description: "whoami",
      // The token of the upstream login, which the proxy keeps.
      execute: async (_args, { session }) => `${(await login.verifyAccessToken(`${session?.accessToken}`)).subject}`,
    });
    await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1" } });
    return {
      url: `${baseUrl}/mcp`,
      subject: USER.name,
      now: Date.now,
      expireAccessTokens: unsupported,
      expireGrants: unsupported,
      [Symbol.asyncDispose]: async () => {
        await server.stop();
        await issuing[Symbol.asyncDispose]();
      },
    };
  },
};
