import { hashPassword, InMemoryAuthorizationStore, type LoginProvider } from "parley-mcp/oauth/server";
import { expect } from "vitest";
import { LoginBrowser, LoginServer, PASSWORD, REDIRECT, REMOTE_REDIRECT } from "../../src/oauth/login-server.js";
import { verifies } from "../../src/verifies.js";

const ON_PAGE = [400, null];

verifies(
  "hosting:auth:as:authorize-requires-pkce",
  "an authorization request without a challenge, with a plain one or with one that is no digest is invalid_request",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);

    expect(await browser.authorize({ code_challenge: undefined })).toMatchObject({ error: "invalid_request" });
    expect(await browser.authorize({ code_challenge_method: "plain" })).toMatchObject({ error: "invalid_request" });
    expect(await browser.authorize({ code_challenge_method: undefined })).toMatchObject({ error: "invalid_request" });
    expect(await browser.authorize({ code_challenge: "short" })).toMatchObject({ error: "invalid_request" });
  },
);

verifies(
  "hosting:auth:as-iss-emission",
  "a redirect with a code, with a denial or with a refused request names the issuer in iss",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);
    const iss = server.origin;

    await browser.authorize();
    expect(await browser.logInAndAllow()).toMatchObject({ iss, state: "state-1", code: expect.any(String) });
    await browser.authorize();
    expect(await browser.submit({ decision: "deny" })).toMatchObject({ iss, error: "access_denied" });
    expect(await browser.authorize({ response_type: "token" })).toMatchObject({
      iss,
      error: "unsupported_response_type",
    });
  },
);

verifies(
  "oauth-server:untrusted-redirects",
  "a request of an unknown client or with an unregistered redirect URI ends on a page without a redirect",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);
    for (const parameters of [
      { client_id: "stranger" },
      { client_id: undefined },
      { redirect_uri: "https://evil.example/callback" },
      { redirect_uri: `${REMOTE_REDIRECT}/` },
      { redirect_uri: "https://app.example.evil.example/callback" },
    ]) {
      await browser.authorize(parameters);
      expect([browser.status, browser.location]).toEqual(ON_PAGE);
    }
  },
);

verifies(
  "oauth-server:consent",
  "the consent page shows client, host, scopes and redirect target, and no code is sent before the user allows it",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);

    expect(await browser.authorize({ scope: "read" })).toEqual({});
    expect(await browser.logIn()).toEqual({});
    for (const text of [
      "The App",
      "Alice",
      "<code>read</code>",
      "127.0.0.1:4000",
      "any program here could claim its name",
    ]) {
      expect(browser.page).toContain(text);
    }
    expect(browser.page).not.toContain("<code>write</code>");
  },
);

verifies("oauth-server:denial", "a user who denies sends access_denied and no code to the client", async () => {
  await using server = await LoginServer.start();
  const browser = new LoginBrowser(server);
  await browser.authorize();
  await browser.logIn();

  const answer = await browser.submit({ decision: "deny" });
  expect(answer.error).toBe("access_denied");
  expect(answer).not.toHaveProperty("code");
});

verifies(
  "oauth-server:remembered-consent",
  "a remembered consent holds for the allowed scopes, and never for a loopback redirect",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);
    const asked = { redirect_uri: REMOTE_REDIRECT, scope: "read" };
    await browser.authorize(asked);
    await browser.logInAndAllow();
    expect(await browser.authorize(asked)).toEqual({});
    await browser.submit({ decision: "allow", remember: "yes" });

    expect(await browser.authorize(asked)).toHaveProperty("code");
    expect(await browser.authorize({ ...asked, scope: "read write" })).toEqual({});

    await browser.authorize({ redirect_uri: REDIRECT });
    await browser.submit({ decision: "allow", remember: "yes" });
    expect(await browser.authorize({ redirect_uri: REDIRECT })).toEqual({});
  },
);

verifies(
  "oauth-server:browser-binding",
  "a form of another browser, a forged form and a form that is sent twice have no effect",
  async () => {
    await using server = await LoginServer.start();
    const [attacker, victim] = [new LoginBrowser(server), new LoginBrowser(server)];
    await attacker.authorize();
    await attacker.logIn();
    await victim.authorize();
    await victim.logIn();
    const own = victim.page;

    victim.page = attacker.page;
    await victim.submit({ decision: "allow" });
    expect([victim.status, victim.location]).toEqual(ON_PAGE);
    victim.page = own;
    await victim.submit({ decision: "allow", token: "x".repeat(43) });
    expect([victim.status, victim.location]).toEqual(ON_PAGE);

    victim.page = own;
    expect(await victim.submit({ decision: "allow" })).toHaveProperty("code");
    victim.page = own;
    await victim.submit({ decision: "allow" });
    expect([victim.status, victim.location]).toEqual(ON_PAGE);
  },
);

verifies(
  "oauth-server:page-headers",
  "login pages run no script, cannot be framed or cached, and hide their cookie from scripts",
  async () => {
    await using server = await LoginServer.start();
    const login = await server.fetch(server.authorizeUrl());
    const refusal = await server.fetch("/authorize?client_id=nobody");
    for (const { headers } of [login, refusal]) {
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/);
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect([login.status, refusal.status]).toEqual([200, 400]);
    expect(login.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax/);
    for (const page of [login, refusal]) expect(await page.text()).not.toMatch(/<script/i);
  },
);

verifies(
  "oauth-server:password-throttle",
  "the eleventh attempt at a name waits, and a wrong name looks like a wrong password",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);
    await browser.authorize();
    await browser.submit({ username: "nobody", password: "x" });
    expect(browser.page).toContain("Wrong name or password.");
    for (let attempt = 0; attempt < 10; attempt++) await browser.logIn("wrong");
    expect(browser.page).toContain("Wrong name or password.");

    await browser.logIn();
    expect(browser.page).toContain("Too many attempts.");
    server.aheadMs += 10_000;
    await browser.logIn();
    expect(browser.page).toContain("Allow The App");
  },
);

verifies(
  ["oauth-server:password-lockout", "oauth-server:proxied-address"],
  "fifty wrong passwords from five addresses do not keep a user out at a sixth",
  async () => {
    await using server = await LoginServer.start();
    for (let address = 1; address <= 5; address++) {
      const browser = new LoginBrowser(server, `198.51.100.${address}`);
      await browser.authorize();
      for (let attempt = 0; attempt < 10; attempt++) await browser.logIn("wrong");
      expect(browser.page).toContain("Wrong name or password.");
    }
    const user = new LoginBrowser(server, "192.0.2.7");
    await user.authorize();
    await user.logIn();

    expect(user.page).toContain("Allow The App");
  },
);

verifies(
  "oauth-server:password-flood",
  "a flood of forty password attempts from ten addresses does not refuse the attempt of a user at another one",
  { deadlineMs: 60_000 },
  async () => {
    const passwordHash = await hashPassword(PASSWORD, { iterations: 100_000 });
    await using server = await LoginServer.start({ users: [{ subject: "alice", passwordHash }] });
    const flood = Array.from({ length: 40 }, (_, index) => new LoginBrowser(server, `198.51.100.${index % 10}`));
    const user = new LoginBrowser(server, "192.0.2.7");
    await Promise.all([...flood, user].map((browser) => browser.authorize()));

    const attempts = flood.map((browser, index) => browser.submit({ username: `u${index}`, password: "wrong" }));
    await user.logIn();
    await Promise.all(attempts);

    expect(user.page).toContain("Allow");
  },
);

verifies(
  "oauth-server:password-networks",
  "a flood of 120 attempts from sixty networks of one site delays the user of that name by seconds at most",
  { deadlineMs: 60_000 },
  async () => {
    await using server = await LoginServer.start();
    const flood = Array.from(
      { length: 60 },
      (_, index) => new LoginBrowser(server, `2001:db8:0:${index.toString(16)}::1`),
    );
    const user = new LoginBrowser(server, "192.0.2.7");
    await Promise.all([...flood, user].map((browser) => browser.authorize()));
    await Promise.all(flood.map((browser) => browser.logIn("wrong")));

    const attempts = flood.map((browser) => browser.logIn("wrong"));
    await user.logIn();
    expect(user.page).toContain("Allow");
    await Promise.all(attempts);
    expect(flood.filter(({ page }) => page.includes("The server is busy.")).length).toBeGreaterThan(0);
  },
);

verifies(
  "oauth-server:password-many-networks",
  "the first attempt of a user is checked within seconds while 150 other networks have tried the name three times",
  { deadlineMs: 60_000 },
  async () => {
    const passwordHash = await hashPassword(PASSWORD, { iterations: 100_000 });
    await using server = await LoginServer.start({ users: [{ subject: "alice", passwordHash }] });
    const flood = Array.from({ length: 150 }, (_, index) => new LoginBrowser(server, `10.0.${index}.1`));
    const user = new LoginBrowser(server, "192.0.2.7");
    await Promise.all([...flood, user].map((browser) => browser.authorize()));
    for (let round = 0; round < 2; round++) await Promise.all(flood.map((browser) => browser.logIn("wrong")));

    let isUserIn = false;
    let isFloodOver = false;
    const attempts = Promise.all(flood.map((browser) => browser.logIn("wrong"))).then(() => (isFloodOver = isUserIn));
    await user.logIn();
    isUserIn = true;

    expect(user.page).toContain("Allow The App");
    await attempts;
    expect(isFloodOver).toBe(true);
  },
);

verifies(
  "oauth-server:login-flood",
  "two hundred logins of one network in a store of a hundred records do not end the login of a user elsewhere",
  async () => {
    await using server = await LoginServer.start({ store: new InMemoryAuthorizationStore({ maxRecords: 100 }) });
    const user = new LoginBrowser(server, "192.0.2.7");
    await user.authorize();
    const flood = Array.from({ length: 200 }, (_, index) => new LoginBrowser(server, `198.51.100.${index}`));
    for (const browser of flood) await browser.authorize();

    await user.logIn();

    expect(user.page).toContain("Allow The App");
  },
);

verifies(
  "oauth-server:upstream-login",
  "a login provider sends the browser elsewhere, and gets back the same browser with what it remembered",
  async () => {
    const login: LoginProvider = {
      start: async ({ id }) => ({
        kind: "redirect",
        url: `https://idp.example/?state=${id}`,
        remember: { nonce: "n" },
      }),
      finish: async ({ remembered }, { parameters }) => ({
        kind: "user",
        user: { subject: `${parameters.get("code")}-${remembered?.nonce}`, upstream: { token: "upstream" } },
      }),
      upstreamToken: async (kept) => ({ provider: "idp", accessToken: `${(await kept.read())?.token}`, scopes: [] }),
    };
    await using server = await LoginServer.start({ login });
    const [browser, other] = [new LoginBrowser(server), new LoginBrowser(server)];
    const { state } = await browser.authorize();
    await other.authorize();

    await other.open(`/login/callback?state=${state}&code=stolen`);
    expect([other.status, other.location]).toEqual(ON_PAGE);
    await browser.open(`/login/callback?state=${state}&code=carol`);
    const { code } = await browser.submit({ decision: "allow" });
    const { body } = await server.redeem(code);
    const { subject, upstream } = await server.login.verifyAccessToken(`${body.access_token}`);
    expect(subject).toBe("carol-n");
    expect(await upstream?.()).toMatchObject({ accessToken: "upstream" });
  },
);

verifies(
  "oauth-server:known-resources",
  "a resource that is not served is invalid_target, and the token endpoint accepts no other resource than the code has",
  async () => {
    await using server = await LoginServer.start();
    const browser = new LoginBrowser(server);
    expect(await browser.authorize({ resource: "https://other.example/mcp" })).toMatchObject({
      error: "invalid_target",
    });

    const code = await server.code({ resource: undefined });
    const refused = await server.redeem(code, { resource: "https://other.example/mcp" });
    expect(refused.body.error).toBe("invalid_target");
    const { body } = await server.redeem(code);
    expect(await server.login.verifyAccessToken(`${body.access_token}`)).toMatchObject({ audience: server.resource });
  },
);
