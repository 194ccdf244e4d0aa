/** The official v1 server behind its own router for authorization. */
import type { Server } from "node:http";
import { InvalidGrantError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import type { AuthorizationParams, OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { freePort } from "../servers/free-port.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";

export const officialV1Router: LoginServer = {
  name: "official v1",
  authorizationServer: "official v1",
  packageNames: ["@modelcontextprotocol/sdk"],
  lacks: {},
  start: async () => {
    const port = await freePort();
    const issuerUrl = new URL(`http://127.0.0.1:${port}`);
    const url = new URL("/mcp", issuerUrl);
    const provider = new MemoryGrants(url);
    const app = createMcpExpressApp();
    const scopesSupported = Object.values(SCOPES);
    app.use(mcpAuthRouter({ provider, issuerUrl, resourceServerUrl: url, scopesSupported }));
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
    const gate = (...requiredScopes: string[]) =>
      requireBearerAuth({ verifier: provider, requiredScopes, resourceMetadataUrl, expectedResource: url });
    const [forAll, forWriting] = [gate(SCOPES.read), gate(SCOPES.read, SCOPES.write)];
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
      const server = app.listen(port, "127.0.0.1", () => resolve(server));
    });
    return {
      url: url.href,
      subject: USER.name,
      now: Date.now,
      expireAccessTokens: async () => provider.access.clear(),
      expireGrants: async () => {
        provider.access.clear();
        provider.refresh.clear();
      },
      [Symbol.asyncDispose]: async () => {
        listening.closeAllConnections();
        await new Promise<void>((resolve) => void listening.close(() => resolve()));
      },
    };
  },
};

function notes(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const saying = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.registerTool("whoami", {}, ({ authInfo }) => saying(String(authInfo?.extra?.subject)));
  server.registerTool("write", {}, () => saying("written"));
  return server;
}

/** Grants in memory. Every request is approved. */
class MemoryGrants implements OAuthServerProvider {
  readonly access = new Map<string, AuthInfo>();
  readonly refresh = new Map<string, readonly string[]>();
  readonly #resource: URL;
  readonly #clients = new Map<string, OAuthClientInformationFull>();
  readonly #codes = new Map<string, AuthorizationParams>();
  readonly clientsStore = {
    getClient: (id: string) => this.#clients.get(id),
    // The router has added the id.
    registerClient: (client: Omit<OAuthClientInformationFull, "client_id" | "client_id_issued_at">) => {
      const registered = client as OAuthClientInformationFull;
      this.#clients.set(registered.client_id, registered);
      return registered;
    },
  };

  constructor(resource: URL) {
    this.#resource = resource;
  }

  async authorize(
    _client: OAuthClientInformationFull,
    params: AuthorizationParams,
    response: { redirect(url: string): void },
  ): Promise<void> {
    if (params.resource?.href !== this.#resource.href) throw new InvalidGrantError("another resource");
    const code = crypto.randomUUID();
    this.#codes.set(code, params);
    const target = new URL(params.redirectUri);
    target.searchParams.set("code", code);
    if (params.state !== undefined) target.searchParams.set("state", params.state);
    response.redirect(target.href);
  }

  async challengeForAuthorizationCode(_client: OAuthClientInformationFull, code: string): Promise<string> {
    return this.#codes.get(code)?.codeChallenge ?? "";
  }

  async exchangeAuthorizationCode(client: OAuthClientInformationFull, code: string): Promise<OAuthTokens> {
    const params = this.#codes.get(code);
    if (!params) throw new InvalidGrantError("unknown code");
    this.#codes.delete(code);
    return this.#issue(client, params.scopes ?? []);
  }

  async exchangeRefreshToken(client: OAuthClientInformationFull, token: string): Promise<OAuthTokens> {
    const scopes = this.refresh.get(token);
    if (!scopes) throw new InvalidGrantError("unknown refresh token");
    this.refresh.delete(token);
    return this.#issue(client, scopes);
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    const info = this.access.get(token);
    if (!info) throw new InvalidTokenError("unknown or expired");
    return info;
  }

  #issue({ client_id }: OAuthClientInformationFull, scopes: readonly string[]): OAuthTokens {
    const [token, refresh] = [crypto.randomUUID(), crypto.randomUUID()];
    this.access.set(token, {
      token,
      clientId: client_id,
      // `mcp-auth` adds this member to the type, for every file that is compiled with it.
      issuer: this.#resource.origin,
      scopes: [...scopes],
      expiresAt: Math.floor(Date.now() / 1_000) + 3_600,
      resource: this.#resource,
      extra: { subject: USER.name },
    });
    this.refresh.set(refresh, scopes);
    return { access_token: token, token_type: "Bearer", expires_in: 3_600, refresh_token: refresh };
  }
}
