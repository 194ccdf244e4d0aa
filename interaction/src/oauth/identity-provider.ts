/** An OpenID Connect provider of somebody else, on a loopback port. Its pages take any name and password. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { LoginBrowser, Page } from "./login-browser.js";

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Requests by method and path, in order. */
  readonly requests: string[];
}

export const UPSTREAM_CLIENT = { clientId: "mcp-server", clientSecret: "a secret of the MCP server" } as const;

/** @param accessTokenSeconds how long its access tokens last; they come with a refresh token that is good once */
export async function startIdentityProvider(callback: string, accessTokenSeconds = 3_600): Promise<IdentityProvider> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const requests: string[] = [];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: UPSTREAM_CLIENT.clientId,
        client_secret: UPSTREAM_CLIENT.clientSecret,
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    cookies: { keys: ["for tests"] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of the staff`, email: `${id}@staff.example`, email_verified: true }),
    }),
    features: { revocation: { enabled: true } },
    // A revoked token ends all that its user has granted.
    revokeGrantPolicy: () => true,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: accessTokenSeconds,
      Grant: 3_600,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: 3_600,
      Session: 600,
    },
  });
  const listener = provider.callback();
  http.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?", 1)[0]}`);
    listener(request, response);
  });
  return {
    issuer,
    requests,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

/** Logs in and agrees on the pages of the provider. */
export async function logInAt(browser: LoginBrowser, loginPage: Page, login: string): Promise<Page> {
  const consentPage = await browser.submit(loginPage, { login, password: "any" });
  return browser.submit(consentPage, {});
}
