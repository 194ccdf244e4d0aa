import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { InMemoryAuthorizationStore, type UpstreamToken, upstreamLogin } from "parley-mcp/oauth/server";
import { expect } from "vitest";
import { DelegatingServer, ISSUER } from "../../src/oauth/delegating-server.js";
import { logInAt, startIdentityProvider, UPSTREAM_CLIENT } from "../../src/oauth/identity-provider.js";
import { verifies } from "../../src/verifies.js";

const CALLBACK = `${ISSUER}/login/callback/staff`;

/** A user of a provider whose access tokens are renewed at every use, since they last half a minute. */
async function staffServer() {
  const staff = await startIdentityProvider(CALLBACK, 30);
  const store = new InMemoryAuthorizationStore();
  const provider = { name: "staff", label: "Staff", issuer: staff.issuer };
  const server = new DelegatingServer(upstreamLogin({ provider, ...UPSTREAM_CLIENT }), {}, { store });
  const browser = server.browser();
  const page = await browser.submit(await browser.open(server.authorizeUrl()), { provider: "staff" });
  const { url } = await logInAt(browser, page, "ada");
  const ask = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: "https://app.example.com/client.json", ...form });
    const response = await server.handler(new Request(`${ISSUER}${path}`, { method: "POST", body }));
    const text = await response.text();
    return (text === "" ? {} : JSON.parse(text)) as Record<string, string>;
  };
  const code = { code: `${url.searchParams.get("code")}`, code_verifier: "v".repeat(43) };
  const tokens = await ask("/token", { grant_type: "authorization_code", ...code });
  const verify = () => server.login.verifyAccessToken(`${tokens.access_token}`);
  const upstream = async (): Promise<UpstreamToken | undefined> => (await verify()).upstream?.();
  const isAccepted = async (token: UpstreamToken | undefined) => {
    const headers = { authorization: `Bearer ${token?.accessToken}` };
    return (await fetch(`${staff.issuer}/me`, { headers })).status === 200;
  };
  return {
    ...{ staff, server, store, ask, verify, upstream, isAccepted, tokens },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await staff[Symbol.asyncDispose]();
    },
  };
}

verifies(
  "oauth-upstream:tokens",
  "handlers that ask together get one renewed token of a provider that rotates its refresh tokens, and the store holds it sealed",
  async () => {
    await using staff = await staffServer();
    const { verify, upstream, isAccepted, store, ask, tokens } = staff;
    const renewals = () => staff.staff.requests.filter((request) => request === "POST /token").length - 1;

    // Verified before, so that all three ask in one turn.
    const callers = await Promise.all([verify(), verify(), verify()]);
    const together = await Promise.all(callers.map((caller) => caller.upstream?.()));
    expect(new Set(together.map((token) => token?.accessToken)).size).toBe(1);
    expect(renewals()).toBe(1);
    expect(await isAccepted(together[0])).toBe(true);
    const next = await upstream();
    expect(renewals()).toBe(2);
    expect(await isAccepted(next)).toBe(true);
    expect(next?.provider).toBe("staff");

    expect(JSON.stringify(store.entries())).toContain("sealed");
    expect(JSON.stringify(store.entries())).not.toContain(`${next?.accessToken}`);
    await ask("/revoke", { token: `${tokens.refresh_token}` });
    await expect(upstream()).rejects.toThrow("revoked");
    expect(JSON.stringify(store.entries())).not.toContain("sealed");
  },
);

verifies(
  "oauth-upstream:withdrawn",
  "a grant that ends at the provider ends here with the next renewal, and its client cannot refresh",
  async () => {
    await using staff = await staffServer();
    const { upstream, ask, tokens, staff: provider } = staff;
    const first = await upstream();

    // The user, or an administrator, ends the grant at the provider.
    const credentials = Buffer.from(`${UPSTREAM_CLIENT.clientId}:a+secret+of+the+MCP+server`).toString("base64");
    const revoked = await fetch(`${provider.issuer}/token/revocation`, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ token: `${first?.accessToken}` }),
    });
    const answer = await ask("/token", { grant_type: "refresh_token", refresh_token: `${tokens.refresh_token}` });

    expect(revoked.status).toBe(200);
    expect(answer).toMatchObject({ error: "invalid_grant" });
    await expect(upstream()).rejects.toThrow("revoked");
  },
);

verifies(
  "oauth-upstream:id-token",
  "an ID token with a wrong issuer, audience, nonce, signature or expiry logs nobody in, and a right one does",
  async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const issuer = "https://login.corp.example";
    const { privateKey: another } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" };
    const seconds = Math.floor(Date.now() / 1_000);
    const cases = [
      { claims: {}, key: privateKey, outcome: "code" },
      { claims: { iss: "https://evil.example" }, key: privateKey, outcome: "error" },
      { claims: { aud: "another client" }, key: privateKey, outcome: "error" },
      { claims: { nonce: "of another login" }, key: privateKey, outcome: "error" },
      { claims: { exp: seconds - 600 }, key: privateKey, outcome: "error" },
      { claims: {}, key: another, outcome: "error" },
    ];
    for (const { claims, key, outcome } of cases) {
      let nonce = "";
      const answers: Record<string, () => Promise<object>> = {
        "/.well-known/openid-configuration": async () => ({
          ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
          ...{ jwks_uri: `${issuer}/jwks`, id_token_signing_alg_values_supported: ["ES256"] },
        }),
        "/jwks": async () => ({ keys: [jwk] }),
        "/token": async () => {
          const right = { iss: issuer, aud: "mcp", sub: "1", nonce, iat: seconds, exp: seconds + 60 };
          const signing = new SignJWT({ ...right, ...claims }).setProtectedHeader({ alg: "ES256", kid: "1" });
          return { access_token: "a", token_type: "Bearer", id_token: await signing.sign(key) };
        },
      };
      const login = upstreamLogin({
        ...{ provider: { name: "corp", label: "Corp", issuer }, clientId: "mcp" },
        fetch: async ({ pathname }) => Response.json(await answers[pathname]?.()),
        onError: () => {},
      });
      const site = (request: Request) => {
        const { searchParams } = new URL(request.url);
        nonce = `${searchParams.get("nonce")}`;
        const location = `${searchParams.get("redirect_uri")}?code=c-1&state=${searchParams.get("state")}`;
        return new Response(null, { status: 302, headers: { location } });
      };
      await using server = new DelegatingServer(login, { [issuer]: site });
      const browser = server.browser();

      const page = await browser.submit(await browser.open(server.authorizeUrl()), { provider: "corp" });

      expect([...page.url.searchParams.keys()]).toContain(outcome);
    }
  },
);
