import { describe, expect, it } from "vitest";
import {
  answerOf,
  authorizePath,
  CHALLENGE,
  ISSUER,
  PASSWORD,
  REDIRECT,
  RESOURCE,
  TestBrowser,
  TestServer,
} from "./authorization-server.fixture.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import type { LoginProvider } from "./login-provider.js";

const LOGIN = { username: "alice", password: PASSWORD };

describe("an authorization request", () => {
  it("leads over login and consent to a code, the state and the issuer", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    expect(browser.page).toContain("Log in to continue to The App");
    await browser.submit(LOGIN);
    expect(browser.page).toContain("Allow The App to use your account?");
    expect(browser.page).toContain("<strong>Alice</strong>");
    const answer = await browser.submit({ decision: "allow" });
    expect(browser.status).toBe(303);
    expect(browser.location?.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(answer).toEqual({ code: expect.stringMatching(/^[\w-]{43}\.[\w-]{43}$/), state: "the state", iss: ISSUER });
  });

  it.each([
    [{ client_id: "stranger" }, "The application is not known here."],
    [{ client_id: undefined }, "The application is not known here."],
    [{ redirect_uri: "https://evil.example/" }, "redirect_uri is not registered for this client"],
    [{ redirect_uri: "http://127.0.0.1:4000/other" }, "redirect_uri is not registered for this client"],
    [{ redirect_uri: undefined }, "redirect_uri is missing"],
  ])("with %j stays in the browser", async (parameters, message) => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize(parameters);
    expect([browser.status, browser.location]).toEqual([400, null]);
    expect(browser.page).toContain(message);
  });

  it("keeps little of its client, so that few requests do not displace the logins of others", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => 0 });
    const test = new TestServer({ store });
    const redirect_uris = Array.from({ length: 5 }, (_, index) => `https://app.example/${"p".repeat(2_000)}${index}`);
    const metadata = { redirect_uris, jwks: { keys: [{ x: "x".repeat(4_000) }] }, token_endpoint_auth_method: "none" };
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(metadata) };
    const { body } = await answerOf(await test.fetch("/register", init));
    const request = { client_id: `${body.client_id}`, redirect_uri: `${redirect_uris[0]}`, prompt: "x".repeat(2_000) };
    await new TestBrowser(test).authorize(request);
    const [kept] = store.entries().filter(({ table }) => table === "transactions");
    expect(kept?.text.length).toBeLessThan(3_000);
  });

  it("with a long state is refused to the client", async () => {
    const browser = new TestBrowser(new TestServer());
    expect(await browser.authorize({ state: "s".repeat(2_049) })).toMatchObject({
      error: "invalid_request",
      error_description: "state is longer than 2048 characters",
    });
    await browser.authorize({ state: "s".repeat(2_048) });
    expect(browser.page).toContain("Log in");
  });

  it("with a repeated redirect URI or client id stays in the browser", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.open(`${authorizePath()}&redirect_uri=${encodeURIComponent(REDIRECT)}`);
    expect([browser.status, browser.location]).toEqual([400, null]);
    await browser.open(`${authorizePath()}&client_id=app`);
    expect([browser.status, browser.location]).toEqual([400, null]);
  });

  it.each([
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_mode: "fragment" }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ scope: "admin" }, "invalid_scope"],
    [{ dpop_jkt: "t".repeat(44) }, "invalid_request"],
    [{ request: "x" }, "request_not_supported"],
    [{ request_uri: "x" }, "request_uri_not_supported"],
    [{ prompt: "none" }, "login_required"],
  ])("with %j is refused to the client", async (parameters, error) => {
    const answer = await new TestBrowser(new TestServer()).authorize(parameters);
    expect(answer).toMatchObject({ error, state: "the state", iss: ISSUER });
  });

  it("with a repeated parameter is refused to the client", async () => {
    const answer = await new TestBrowser(new TestServer()).open(`${authorizePath()}&scope=read&scope=write`);
    expect(answer).toMatchObject({ error: "invalid_request", error_description: 'parameter "scope" is repeated' });
  });

  it("of a client without the grant is refused to the client", async () => {
    const clients = [{ clientId: "app", redirectUris: [REDIRECT], grantTypes: ["refresh_token" as const] }];
    const answer = await new TestBrowser(new TestServer({ clients })).authorize();
    expect(answer).toMatchObject({ error: "unauthorized_client" });
  });

  it("over the limit is refused", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize({ state: "x".repeat(17_000) });
    expect(browser.status).toBe(414);
  });

  it("may come from any port of a loopback redirect, and keep a query", async () => {
    const clients = [{ clientId: "app", redirectUris: ["http://127.0.0.1/callback?from=here"] }];
    const test = new TestServer({ clients, autoApprove: { subject: "bob" } });
    const answer = await new TestBrowser(test).authorize({ redirect_uri: "http://127.0.0.1:9999/callback?from=here" });
    expect(answer).toMatchObject({ from: "here", code: expect.any(String) });
  });

  it("without a redirect URI, a state and a resource means the only ones", async () => {
    const clients = [{ clientId: "app", redirectUris: [REDIRECT] }];
    const test = new TestServer({ clients, autoApprove: { subject: "bob" } });
    const answer = await new TestBrowser(test).authorize({
      redirect_uri: undefined,
      state: undefined,
      resource: undefined,
    });
    expect(answer).toEqual({ code: expect.any(String), iss: ISSUER });
    const several = new TestServer({ resources: [RESOURCE, "http://127.0.0.1:3000/other"] });
    expect(await new TestBrowser(several).authorize({ resource: undefined })).toMatchObject({
      error: "invalid_target",
    });
  });
});

describe("the pages", () => {
  it("cannot be framed, run no script, and are not stored", async () => {
    const response = await new TestServer().fetch(authorizePath());
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(await response.text()).not.toContain("<script");
  });

  it("bind the browser by a cookie that scripts and other sites do not get", async () => {
    const response = await new TestServer().fetch(authorizePath());
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^parley-3000=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const issuer = "https://auth.example";
    const secure = await new TestServer({ issuer }).fetch(authorizePath());
    expect(secure.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-parley-443=.*; Path=\/; .*; Secure$/),
    ]);
    const defaultPort = await new TestServer({ issuer: "http://localhost" }).fetch(authorizePath());
    expect(defaultPort.headers.getSetCookie()).toEqual([expect.stringMatching(/^parley-80=/)]);
  });

  it("has a cookie of its own beside another server of the host", async () => {
    const nameAt = async (issuer: string) => {
      const browser = new TestBrowser(new TestServer({ issuer }));
      await browser.authorize();
      return browser.cookie.slice(0, browser.cookie.indexOf("="));
    };
    const issuers = [
      "https://auth.example",
      "https://auth.example:8443",
      "https://auth.example/a",
      "https://auth.example/b",
    ];
    const names = await Promise.all(issuers.map(nameAt));
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^__Host-parley-[\w-]+$/);
  });

  it("escape and shorten what a client calls itself", async () => {
    const name = `<b>"Bank"\u202e & 'Co' ${"x".repeat(200)}`;
    const clients = [{ clientId: "app", name, redirectUris: [REDIRECT] }];
    const browser = new TestBrowser(new TestServer({ clients }));
    await browser.authorize();
    expect(browser.page).toContain("&lt;b&gt;&quot;Bank&quot;  &amp; &#39;Co&#39; xxx");
    expect(browser.page).not.toContain("x".repeat(100));
  });

  it.each([
    ["\u200b\u3164\u2800 ", "an application without a name"],
    [`Ba${"\u0301".repeat(50)}nk`, `Ba${"\u0301".repeat(3)}nk`],
  ])("show %j as text that can be read", async (name, shown) => {
    const clients = [{ clientId: "app", name, redirectUris: [REDIRECT] }];
    const browser = new TestBrowser(new TestServer({ clients }));
    await browser.authorize();
    expect(browser.page).toContain(`<h1>Log in to continue to ${shown}</h1>`);
  });

  it("name what is asked for, where the answer goes, and warn of programs on this computer", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize({ scope: "read" });
    await browser.submit(LOGIN);
    expect(browser.page).toContain("<li><code>read</code></li>");
    expect(browser.page).not.toContain("<code>write</code>");
    expect(browser.page).toContain("<strong>127.0.0.1:4000</strong>");
    expect(browser.page).toContain("any program here could claim its name");
    expect(browser.page).not.toContain('name="remember"');
  });

  it("have no list for a resource without scopes", async () => {
    const browser = new TestBrowser(new TestServer({ resources: [RESOURCE] }));
    await browser.authorize({ redirect_uri: "https://app.example/callback", scope: "read" });
    await browser.submit(LOGIN);
    expect(browser.page).not.toContain("<ul>");
    expect(browser.page).not.toContain("any program here");
  });
});

describe("a form", () => {
  it("of another browser is refused", async () => {
    const test = new TestServer();
    const [victim, attacker] = [new TestBrowser(test), new TestBrowser(test)];
    await attacker.authorize();
    await victim.authorize();
    victim.page = attacker.page;
    await victim.submit(LOGIN);
    expect([victim.status, victim.location]).toEqual([400, null]);
    expect(victim.page).toContain("out of date, or was opened in another browser");
  });

  it.each(["no cookie", "a wrong token", "no token", "no transaction", "an unknown transaction", "a foreign origin"])(
    "with %s is refused",
    async (fault) => {
      const browser = new TestBrowser(new TestServer());
      await browser.authorize();
      await browser.submit(LOGIN);
      if (fault === "no cookie") browser.cookie = "";
      const fields: Record<string, string> = {
        decision: "allow",
        ...(fault === "a wrong token" && { token: "x".repeat(43) }),
        ...(fault === "no token" && { token: "" }),
        ...(fault === "no transaction" && { transaction: "" }),
        ...(fault === "an unknown transaction" && { transaction: "x".repeat(43) }),
      };
      await browser.submit(fields, fault === "a foreign origin" ? { origin: "https://evil.example" } : {});
      expect([browser.status, browser.location]).toEqual([400, null]);
    },
  );

  it("of this origin is taken", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    await browser.submit(LOGIN, { origin: ISSUER });
    expect(browser.status).toBe(200);
  });

  it("counts once", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    await browser.submit(LOGIN);
    const { page } = browser;
    expect(await browser.submit({ decision: "allow" })).toHaveProperty("code");
    browser.page = page;
    await browser.submit({ decision: "allow" });
    expect([browser.status, browser.location]).toEqual([400, null]);
  });

  it("is good for ten minutes, however many steps there are", async () => {
    const test = new TestServer();
    const browser = new TestBrowser(test);
    await browser.authorize();
    test.clock.now += 590_000;
    await browser.submit(LOGIN);
    test.clock.now += 11_000;
    await browser.submit({ decision: "allow" });
    expect(browser.status).toBe(400);
  });

  it("of a login cannot replace a user who has logged in", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    const { page } = browser;
    await browser.submit(LOGIN);
    browser.page = page;
    await browser.submit(LOGIN);
    expect(browser.status).toBe(400);
  });

  it("of a consent needs a login before it", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    browser.page = browser.page.replace("/login", "/consent");
    await browser.submit({ decision: "allow" });
    expect(browser.status).toBe(400);
  });

  it("that is no form is refused", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.open("/login", { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    expect(browser.status).toBe(415);
  });
});

describe("a user", () => {
  it("may deny", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    await browser.submit(LOGIN);
    expect(await browser.submit({ decision: "deny" })).toMatchObject({ error: "access_denied", iss: ISSUER });
  });

  it("stays logged in for an hour, under a cookie that the login made", async () => {
    const test = new TestServer();
    const browser = new TestBrowser(test);
    await browser.authorize();
    const before = browser.cookie;
    await browser.submit(LOGIN);
    expect(browser.cookie).toMatch(new RegExp(`^${before}\\.[\\w-]{43}$`));
    await browser.authorize();
    expect(browser.page).toContain("Allow The App");
    await browser.authorize({ prompt: "login" });
    expect(browser.page).toContain("Log in to continue");
    test.clock.now += 3_600_000;
    await browser.authorize();
    expect(browser.page).toContain("Log in to continue");
  });

  it("is asked again unless they asked not to be, and for more scopes", async () => {
    const browser = new TestBrowser(new TestServer());
    const asked = { redirect_uri: "https://app.example/callback", scope: "read" };
    await browser.authorize(asked);
    await browser.submit(LOGIN);
    await browser.submit({ decision: "allow" });
    expect(await browser.authorize({ ...asked, prompt: "none" })).toMatchObject({ error: "consent_required" });
    await browser.authorize(asked);
    await browser.submit({ decision: "allow", remember: "yes" });
    expect(await browser.authorize(asked)).toHaveProperty("code");
    expect(await browser.authorize({ ...asked, prompt: "consent" })).toEqual({});
    expect(await browser.authorize({ ...asked, scope: "read write" })).toEqual({});
  });

  it.each(["revokeClient", "revokeSubject"] as const)("is asked again after %s", async (revoke) => {
    const server = new TestServer();
    const browser = new TestBrowser(server);
    const asked = { redirect_uri: "https://app.example/callback", scope: "read" };
    await browser.authorize(asked);
    await browser.submit(LOGIN);
    await browser.submit({ decision: "allow", remember: "yes" });
    await server.server[revoke](revoke === "revokeClient" ? "app" : "alice");
    server.clock.now += 1;

    expect(await browser.authorize(asked)).toEqual({});
  });

  it("is asked every time by programs on their computer", async () => {
    const browser = new TestBrowser(new TestServer());
    await browser.authorize();
    await browser.submit(LOGIN);
    await browser.submit({ decision: "allow", remember: "yes" });
    expect(await browser.authorize()).toEqual({});
    expect(browser.page).toContain("Allow The App");
  });
});

describe("a login provider", () => {
  const upstream: LoginProvider = {
    start: async ({ id, callbackUrl }) => ({
      kind: "redirect",
      url: `https://idp.example/authorize?state=${id}&redirect_uri=${encodeURIComponent(callbackUrl)}`,
      remember: { nonce: "n-1" },
    }),
    finish: async ({ remembered, loginHint, address }, { from, parameters }) => {
      if (parameters.get("error") === "access_denied") {
        return { kind: "failed", error: "access_denied", description: "the provider refused" };
      }
      if (parameters.get("error") !== null) throw new Error("secret detail");
      const facts = { from, code: parameters.get("code"), ...remembered, loginHint, address };
      return { kind: "user", user: { subject: "idp|7", upstream: facts } };
    },
    upstreamToken: async (kept) => ({
      ...{ provider: "idp", scopes: [] },
      accessToken: JSON.stringify(await kept.read()),
    }),
  };

  it("may send the browser elsewhere, and gets it back with what it remembered", async () => {
    const test = new TestServer({ login: upstream });
    const browser = new TestBrowser(test);
    const sent = await browser.authorize({ login_hint: "carol" });
    expect(sent.redirect_uri).toBe(`${ISSUER}/login/callback`);
    await browser.open(`/login/callback?state=${sent.state}&code=c-1`);
    expect(browser.page).toContain("<strong>idp|7</strong>");
    const { code } = await browser.submit({ decision: "allow" });
    const { body } = await test.redeem(`${code}`);
    const verified = await test.server.verifyAccessToken(`${body.access_token}`);
    expect(verified.subject).toBe("idp|7");
    expect(JSON.parse(`${(await verified.upstream?.())?.accessToken}`)).toEqual({
      ...{ from: "callback", code: "c-1", nonce: "n-1", loginHint: "carol", address: "192.0.2.1" },
    });
  });

  it("may ask in forms of its own, and say what was wrong", async () => {
    const fields = [{ name: "code", label: "Code <1>", type: "text" as const }];
    const login: LoginProvider = {
      start: async () => ({ kind: "form", fields }),
      finish: async (_transaction, { parameters }) =>
        parameters.get("code") === "7"
          ? { kind: "user", user: { subject: "dave" } }
          : { kind: "form", fields, message: "No <7>" },
    };
    const browser = new TestBrowser(new TestServer({ login }));
    await browser.authorize();
    expect(browser.page).toContain('Code &lt;1&gt; <input name="code" type="text" autocomplete="off" required>');
    await browser.submit({ code: "6" });
    expect(browser.page).toContain('role="alert">No &lt;7&gt;<');
    await browser.submit({ code: "7" });
    expect(browser.page).toContain("<strong>dave</strong>");
  });

  it("is not called back by another browser, or without its state", async () => {
    const test = new TestServer({ login: upstream });
    const [attacker, victim] = [new TestBrowser(test), new TestBrowser(test)];
    const sent = await attacker.authorize();
    await victim.authorize();
    await victim.open(`/login/callback?state=${sent.state}&code=c-1`);
    expect(victim.status).toBe(400);
    await victim.open("/login/callback?code=c-1");
    expect(victim.status).toBe(400);
  });

  it("may fail, which the client hears of, and once", async () => {
    const test = new TestServer({ login: upstream });
    const browser = new TestBrowser(test);
    const sent = await browser.authorize();
    const back = `/login/callback?state=${sent.state}&error=access_denied`;
    expect(await browser.open(back)).toMatchObject({
      error: "access_denied",
      error_description: "the provider refused",
    });
    await browser.open(back);
    expect(browser.status).toBe(400);
  });

  it("that throws is reported, and the client learns nothing of it", async () => {
    const test = new TestServer({ login: upstream });
    const browser = new TestBrowser(test);
    const sent = await browser.authorize();
    const answer = await browser.open(`/login/callback?state=${sent.state}&error=boom`);
    expect(answer).toMatchObject({ error: "server_error", error_description: "the login failed" });
    expect(test.errors).toEqual([new Error("secret detail")]);
  });
});

it("autoApprove shows no page", async () => {
  const test = new TestServer({ autoApprove: { subject: "bob" } });
  const { code } = await new TestBrowser(test).authorize({ code_challenge: CHALLENGE });
  expect((await test.redeem(`${code}`)).status).toBe(200);
});

it("autoApprove sends no code to another host, since any web site could register itself", async () => {
  const test = new TestServer({ autoApprove: { subject: "bob" } });
  const answer = await new TestBrowser(test).authorize({ redirect_uri: "https://app.example/callback" });
  expect(answer).toMatchObject({
    error: "access_denied",
    error_description: "autoApprove serves loopback clients alone",
  });
});
