/** Our gate with `oidc-provider` as the authorization server: registration, resource indicators, and signed access tokens. */
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import { serveHttp } from "parley-mcp/node";
import { jwtVerifier, OAuthError, protectedResource } from "parley-mcp/oauth/resource";
import { freePort } from "../servers/free-port.js";
import { USER } from "./form-browser.js";
import { type LoginServer, SCOPES } from "./login-peer.js";
import { notesServer } from "./notes-server.js";
import { StandaloneStreams } from "./standalone-streams.js";

export const oidcLoginServer: LoginServer = {
  name: "Parley",
  authorizationServer: "oidc-provider",
  packageNames: ["parley-mcp", "oidc-provider"],
  lacks: {},
  start: async () => {
    const [port, issuerPort] = [await freePort(), await freePort()];
    const issuer = `http://127.0.0.1:${issuerPort}`;
    const resource = `http://127.0.0.1:${port}/mcp`;
    let forgetsGrants = false;
    const provider = new Provider(issuer, {
      scopes: ["openid", "offline_access", ...Object.values(SCOPES)],
      cookies: { keys: ["for tests"] },
      findAccount: (_context: unknown, id: string, token?: { readonly kind: string }) => {
        const isRefused = forgetsGrants && token?.kind === "RefreshToken";
        if (isRefused) forgetsGrants = false;
        return isRefused ? undefined : { accountId: id, claims: () => ({ sub: id }) };
      },
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      features: {
        registration: { enabled: true },
        dPoP: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: Object.values(SCOPES).join(" "),
            audience: resource,
            accessTokenFormat: "jwt",
            accessTokenTTL: 3_600,
          }),
        },
      },
      ttl: { AccessToken: 3_600, Grant: 3_600, IdToken: 300, Interaction: 600, RefreshToken: 3_600, Session: 600 },
    });
    const issuing = createServer(provider.callback());
    await new Promise<void>((resolve) => void issuing.listen(issuerPort, "127.0.0.1", resolve));
    const signatures = jwtVerifier({ issuer });
    const used = new Set<string>();
    let expired: ReadonlySet<string> = new Set();
    const streams = new StandaloneStreams();
    const expireAccessTokens = async () => {
      await streams.allOpen();
      expired = new Set(used);
    };
    const gate = protectedResource({
      resource,
      issuer,
      verifier: async (token, facts) => {
        used.add(token);
        if (expired.has(token)) throw new OAuthError("invalid_token", "The access token has expired");
        return signatures.verify(token, facts);
      },
      cacheMs: 1,
      scopesSupported: [SCOPES.read],
    });
    const host = await serveHttp(notesServer(), {
      port,
      authorization: streams.behind(gate),
      onResponse: streams.observe,
    });
    return {
      url: host.url,
      subject: USER.name,
      now: Date.now,
      expireAccessTokens,
      expireGrants: async () => {
        await expireAccessTokens();
        forgetsGrants = true;
      },
      [Symbol.asyncDispose]: async () => {
        await host.close();
        issuing.closeAllConnections();
        await new Promise<void>((resolve) => void issuing.close(() => resolve()));
      },
    };
  },
};
