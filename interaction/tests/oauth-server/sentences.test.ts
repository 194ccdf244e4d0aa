import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Client } from "parley-mcp/client";
import { type Fetch, oauth } from "parley-mcp/oauth";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { LoginBrowser as CookieBrowser } from "../../src/oauth/login-browser.js";
import { LoginBrowser, LoginServer, PASSWORD, REDIRECT, REMOTE_REDIRECT } from "../../src/oauth/login-server.js";
import { verifies } from "../../src/verifies.js";
import { noteMessage } from "../../src/wire-log.js";

const ALICE = { username: "alice", password: PASSWORD };
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DOCUMENT_URL = "https://client.example/metadata.json";
const DOCUMENT = { client_id: DOCUMENT_URL, client_name: "Documented", redirect_uris: [REMOTE_REDIRECT] };

verifies(
  "oauth-server:consent-per-client",
  "a user who was remembered for one client is asked again for the next",
  async () => {
    await using server = await LoginServer.start();
    const registered = async (client_name: string) => {
      const metadata = { client_name, redirect_uris: [REMOTE_REDIRECT], token_endpoint_auth_method: "none" };
      return `${(await server.register(metadata)).body.client_id}`;
    };
    const [first, second] = [await registered("First"), await registered("Second")];
    const browser = new LoginBrowser(server);
    const authorize = (client_id: string) => browser.authorize({ client_id, redirect_uri: REMOTE_REDIRECT });
    await authorize(first);
    await browser.logIn();
    await browser.submit({ decision: "allow", remember: "yes" });
    expect(await authorize(first)).toHaveProperty("code");

    expect(await authorize(second)).toEqual({});
    expect(browser.page).toContain("Allow Second to use your account?");
  },
);

verifies(
  "oauth-server:loopback-ports",
  "a loopback redirect URI may have another port, and a redirect URI of another host may not",
  async () => {
    await using server = await LoginServer.start({
      clients: [{ clientId: "app", redirectUris: ["http://localhost/cb?a=1", "http://[::1]:1/cb", REMOTE_REDIRECT] }],
    });
    const browser = new LoginBrowser(server);
    for (const redirect_uri of ["http://localhost:4001/cb?a=1", "http://localhost/cb?a=1", "http://[::1]:65535/cb"]) {
      await browser.authorize({ redirect_uri });
      expect([redirect_uri, browser.status]).toEqual([redirect_uri, 200]);
    }
    for (const redirect_uri of [
      "http://127.0.0.1/cb?a=1",
      "https://localhost/cb?a=1",
      "http://LOCALHOST/cb?a=1",
      "http://localhost/cb?a=2",
      "http://localhost/cb",
      "http://localhost/cb?a=1#x",
      "http://localhost:80@evil.example/cb?a=1",
      "http://localhost.evil.example/cb?a=1",
      REMOTE_REDIRECT.replace("app.example", "app.example:8443"),
    ]) {
      await browser.authorize({ redirect_uri });
      expect([redirect_uri, browser.status, browser.location]).toEqual([redirect_uri, 400, null]);
    }
  },
);

verifies(
  "oauth-server:redirect-host",
  "the consent page names the host of the redirect URI, and no other host that the URI contains",
  async () => {
    const misleading = "https://app.example/bank.example/callback?next=https://bank.example";
    await using server = await LoginServer.start({
      clients: [{ clientId: "app", name: "bank.example", redirectUris: [misleading, REDIRECT] }],
    });
    const browser = new LoginBrowser(server);
    await browser.authorize({ redirect_uri: misleading });
    await browser.logIn();
    expect(browser.page).toContain("You will be sent to <strong>app.example</strong>.");
    expect(browser.page).not.toContain("any program here could claim its name");

    await browser.authorize({ redirect_uri: REDIRECT });
    expect(browser.page).toContain("You will be sent to <strong>127.0.0.1:4000</strong>.");
    expect(browser.page).toContain("any program here could claim its name");
  },
);

verifies(
  "oauth-server:document-structure",
  "an invalid metadata document ends the login on a page and is not cached, so a corrected one counts",
  async () => {
    const large = JSON.stringify({ ...DOCUMENT, client_name: "x".repeat(70_000) });
    const documents: (() => Response)[] = [
      () => new Response("<html>not found</html>"),
      () => new Response('{"client_id":'),
      () => Response.json([DOCUMENT]),
      () => Response.json("client"),
      () => Response.json({ ...DOCUMENT, redirect_uris: "https://app.example/callback" }),
      () => Response.json({ ...DOCUMENT, redirect_uris: [] }),
      () => Response.json({ ...DOCUMENT, client_secret_expires_at: 0 }),
      () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: "client_secret_basic" }),
      () => new Response(large),
      () => new Response(null, { status: 302, headers: { location: "https://other.example/metadata.json" } }),
      () => Response.json(DOCUMENT, { status: 404 }),
    ];
    let answer = documents[0] as () => Response;
    await using server = await LoginServer.start({ fetch: async () => answer() });
    const browser = new LoginBrowser(server);
    for (const document of documents) {
      answer = document;
      await browser.authorize({ client_id: DOCUMENT_URL, redirect_uri: REMOTE_REDIRECT });
      expect(browser.location).toBeNull();
      expect(browser.page).toContain("Login not possible");
    }
    answer = () => Response.json(DOCUMENT);
    await browser.authorize({ client_id: DOCUMENT_URL, redirect_uri: REMOTE_REDIRECT });
    expect(browser.page).toContain("Log in to continue to Documented");
  },
);

verifies(
  "oauth-server:document-urls",
  "a client id that is no usable https URL is an unknown client, and nothing is fetched for it",
  async () => {
    const fetched: string[] = [];
    await using server = await LoginServer.start({
      fetch: async (url) => {
        fetched.push(url.href);
        return Response.json({ ...DOCUMENT, client_id: url.href });
      },
    });
    const browser = new LoginBrowser(server);
    for (const client_id of [
      "http://client.example/metadata.json",
      "https://client.example",
      "https://client.example/",
      "https://client.example/metadata.json#me",
      "https://user:pass@client.example/metadata.json",
      "https://client.example/a/../metadata.json",
    ]) {
      await browser.authorize({ client_id, redirect_uri: REMOTE_REDIRECT });
      expect(browser.location).toBeNull();
      expect(browser.page).toContain("The application is not known here.");
    }
    expect(fetched).toEqual([]);
    await browser.authorize({ client_id: DOCUMENT_URL, redirect_uri: REMOTE_REDIRECT });
    expect(fetched).toEqual([DOCUMENT_URL]);
  },
);

verifies(
  "oauth-server:client-credentials-metadata",
  "metadata lists the client credentials grant, its ways to authenticate and the algorithms of assertions",
  async () => {
    await using server = await LoginServer.start();
    const metadata = (await (await server.fetch("/.well-known/oauth-authorization-server")).json()) as Record<
      string,
      unknown
    >;
    expect(metadata.grant_types_supported).toContain("client_credentials");
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(
      expect.arrayContaining(["private_key_jwt", "client_secret_basic"]),
    );
    expect(metadata.token_endpoint_auth_signing_alg_values_supported).toContain("ES256");
  },
);

verifies(
  "oauth-server:assertion-metadata",
  "metadata names the JWT bearer grant and the ID-JAG profile only if a provider is trusted",
  async () => {
    const trustedIssuers = [{ issuer: "https://idp.example", jwks: { keys: [] } }];
    await using trusting = await LoginServer.start({ trustedIssuers });
    await using plain = await LoginServer.start();
    const profile = "urn:ietf:params:oauth:grant-profile:id-jag";
    expect(trusting.login.metadata.grant_types_supported).toContain(JWT_BEARER);
    expect(trusting.login.metadata.authorization_grant_profiles_supported).toEqual([profile]);
    expect(plain.login.metadata.grant_types_supported).not.toContain(JWT_BEARER);
    expect(plain.login.metadata).not.toHaveProperty("authorization_grant_profiles_supported");
  },
);

verifies(
  "flow:oauth:authorization-code-roundtrip",
  "a client, a resource and an authorization server of this package register, log in, call, refresh and step up",
  async ({ wire }) => {
    const issuer = "https://mcp.example.com";
    const resource = `${issuer}/mcp`;
    const users = [{ subject: "alice", passwordHash: await hashPassword(PASSWORD, { iterations: 10 }) }];
    const scopes = ["read", "write"];
    // Tokens that are about to expire as soon as they are issued, so that every call refreshes them.
    const login = authorizationServer({ issuer, resources: [{ resource, scopes }], users, accessTokenMs: 20_000 });
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.tool("whoami", {}, (_args, { auth }) => `${auth?.subject} by ${auth?.clientId}`);
    server.tool("write", { scopes: ["write"] }, () => "written");
    const grants: (string | null)[] = [];
    const log = wire.open(["client", "server"]);
    const fetch: Fetch = async (url, init) => {
      if (url.pathname === "/token") grants.push(new URLSearchParams(init.body).get("grant_type"));
      noteMessage(log, "client", init.body ?? "");
      const response = await handler(new Request(url, init));
      noteMessage(log, "server", await response.clone().text());
      return response;
    };
    const authorization = protectedResource({ resource, issuer, scopesSupported: ["read"], fetch });
    const handler = createFetchHandler(server, { path: "/mcp", authorization, routes: [login.handle] });

    const browser = new CookieBrowser({ [issuer]: (request) => handler(request) }, REDIRECT);
    const asked: (string | null)[] = [];
    const receive = async (url: URL) => {
      asked.push(url.searchParams.get("scope"));
      const page = await browser.open(url);
      const known = page.text.includes('type="password"') ? await browser.submit(page, ALICE) : page;
      return (await browser.submit(known, { decision: "allow" })).url.searchParams;
    };
    const client = await Client.connect(
      { url: resource, fetch, authorization: oauth({ redirect: { redirectUri: REDIRECT, receive } }) },
      { name: "test-client", version: "1.0.0" },
    );
    const textOf = async (tool: string) => JSON.stringify((await client.callTool(tool)).content);

    const first = await textOf("whoami");
    const second = await textOf("whoami");
    expect(first).toContain("alice by ");
    expect(second).toBe(first);
    expect(asked).toEqual(["read"]);
    expect(grants.at(-1)).toBe("refresh_token");
    expect(await textOf("write")).toContain("written");
    expect(asked).toEqual(["read", "read write"]);
    await client.close();
    await handler.close();
  },
);

verifies(
  "oauth-server:assertion-claims",
  "an ID-JAG that lacks any of its eight required claims is invalid_grant",
  async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const issuer = "https://idp.example";
    const jwks = { keys: [await exportJWK(publicKey)] };
    await using server = await LoginServer.start({ trustedIssuers: [{ issuer, jwks }] });
    const now = Math.floor(Date.now() / 1_000);
    const exchange = async (lacking: string | undefined, index: number) => {
      const claims: Record<string, unknown> = {
        ...{ iss: issuer, sub: "carol", aud: server.origin, resource: server.resource, client_id: "service" },
        ...{ jti: `${index}`, exp: now + 300, iat: now },
      };
      const kept = Object.fromEntries(Object.entries(claims).filter(([name]) => name !== lacking));
      const signing = new SignJWT(kept).setProtectedHeader({ alg: "ES256", typ: "oauth-id-jag+jwt" });
      const { status, body } = await server.service("/token", {
        grant_type: JWT_BEARER,
        assertion: await signing.sign(privateKey),
      });
      return [lacking, status, body.error];
    };
    const required = ["iss", "sub", "aud", "resource", "client_id", "jti", "exp", "iat"];
    for (const [index, claim] of required.entries()) {
      expect(await exchange(claim, index)).toEqual([claim, 400, "invalid_grant"]);
    }
    expect(await exchange(undefined, required.length)).toEqual([undefined, 200, undefined]);
  },
);
