import { describe, expect, it } from "vitest";
import { ISSUER, REDIRECT, TestBrowser } from "../authorization-server.fixture.js";
import { github } from "./provider-presets.js";
import { CORP, GITHUB, json, OPENID, upstreamTest } from "./upstream-login.fixture.js";
import { upstreamLogin } from "./upstream-login.js";
import type { UpstreamUser } from "./upstream-user.js";

const TOKEN = "POST https://login.corp.example/token";
const DISCOVERY = "GET https://login.corp.example/.well-known/openid-configuration";

describe("a login at a provider of OpenID Connect", () => {
  it("leads over consent and the provider to a code", async () => {
    const { logIn, test } = upstreamTest();
    const answer = await logIn();
    expect(answer).toMatchObject({ code: expect.any(String), state: "the state", iss: ISSUER });
    const { body } = await test.redeem(`${answer.code}`);
    const { subject } = await test.server.verifyAccessToken(`${body.access_token}`);
    expect(subject).toBe("https://login.corp.example|u-1");
  });

  it("asks for consent before the browser leaves, and names the client and what the provider is asked for", async () => {
    const { browser, providers } = upstreamTest();
    await browser.authorize();
    expect([browser.status, browser.location]).toEqual([200, null]);
    expect(providers.calls).toEqual([]);
    expect(browser.page).toContain("Allow The App to use your account?");
    expect(browser.page).toContain("You will be sent to <strong>127.0.0.1:4000</strong>");
    expect(browser.page).toContain("Corp logs you in, and gives this server: <code>openid</code>");
    expect(browser.page).toContain('<button name="provider" value="corp">Allow and log in with Corp</button>');
    expect(browser.page).not.toContain("You are logged in as");
    expect(browser.page).not.toContain("Do not ask again");
  });

  it("asks again for every client, also after a login", async () => {
    const { logIn, browser } = upstreamTest();
    await logIn();
    await browser.authorize();
    expect(browser.page).toContain("Allow The App to use your account?");
  });

  it("sends PKCE, a nonce, the state and a callback of its own", async () => {
    const { browser, test } = upstreamTest();
    await browser.authorize({ login_hint: "ada" });
    const sent = await browser.submit({ provider: "corp" });
    expect(browser.location?.startsWith("https://login.corp.example/authorize?from=metadata&")).toBe(true);
    expect(sent).toEqual({
      ...{
        from: "metadata",
        response_type: "code",
        client_id: "mcp",
        scope: "openid profile email",
        login_hint: "ada",
      },
      redirect_uri: `${ISSUER}/login/callback/corp`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(test.errors).toEqual([]);
  });

  it("ends with access_denied if the user says no to the client, without a call to the provider", async () => {
    const { browser, providers } = upstreamTest();
    await browser.authorize();
    expect(await browser.submit({ decision: "deny" })).toMatchObject({ error: "access_denied", iss: ISSUER });
    expect(providers.calls).toEqual([]);
  });

  it("shows the page again for a provider that is not there", async () => {
    const { browser } = upstreamTest();
    await browser.authorize();
    await browser.submit({ provider: "elsewhere" });
    expect(browser.page).toContain("Allow The App to use your account?");
    await browser.submit({});
    expect(browser.page).toContain("Allow The App to use your account?");
  });

  it("authenticates with Basic, or in the body where the provider says so, or not at all", async () => {
    const basic = upstreamTest();
    await basic.logIn();
    expect(basic.providers.authorizations).toContain(`Basic ${btoa("mcp:corp+secret")}`);
    const post = upstreamTest();
    post.providers.metadata.token_endpoint_auth_methods_supported = ["client_secret_post"];
    await post.logIn();
    expect(post.providers.forms[0]?.get("client_secret")).toBe("corp secret");
    const open = upstreamTest({ provider: OPENID, clientId: "mcp" });
    await open.logIn();
    expect([...(open.providers.forms[0]?.keys() ?? [])]).not.toContain("client_secret");
  });

  it("discovers the provider once an hour, and again after a failure", async () => {
    const { browser, logIn, providers, clock } = upstreamTest();
    const discover = providers.answers[DISCOVERY];
    providers.answers[DISCOVERY] = () => json({}, 503);
    await browser.authorize();
    expect(await browser.submit({ provider: "corp" })).toMatchObject({ error: "temporarily_unavailable" });
    providers.answers[DISCOVERY] = discover as () => Response;
    await logIn();
    await logIn();
    expect(providers.calls.filter((call) => call === DISCOVERY)).toHaveLength(2);
    clock.now += 3_600_000;
    await logIn();
    expect(providers.calls.filter((call) => call === DISCOVERY)).toHaveLength(3);
  });

  it("asks the user-info endpoint if the ID token has no name, and there is one", async () => {
    const users: UpstreamUser[] = [];
    const allow = (user: UpstreamUser) => users.push(user) > 0;
    const { logIn, providers } = upstreamTest(CORP, { allow });
    providers.answers[TOKEN] = (_request, form) => providers.openIdTokens(form, { name: undefined, email: undefined });
    await logIn();
    expect(users[0]).toMatchObject({ name: "Ada", email: "ada@corp.example" });
    const bare = upstreamTest(CORP, { allow });
    bare.providers.claims = { sub: "u-1" };
    delete bare.providers.metadata.userinfo_endpoint;
    await bare.logIn();
    expect(users[1]).toMatchObject({ subject: "u-1" });
    expect(users[1]).not.toHaveProperty("name");
  });

  it("tells the rule the verified address alone", async () => {
    const users: UpstreamUser[] = [];
    const { logIn, providers } = upstreamTest(CORP, { allow: (user) => users.push(user) > 0 });
    providers.claims = { ...providers.claims, email_verified: false };
    await logIn();
    expect(users).toEqual([
      { provider: "corp", issuer: OPENID.issuer, subject: "u-1", name: "Ada", claims: expect.any(Object) },
    ]);
  });
});

describe("a login at a provider like GitHub", () => {
  it("names the user by the number of the account, with the verified primary address", async () => {
    const users: UpstreamUser[] = [];
    const { tokens, test, providers } = upstreamTest(GITHUB, { allow: (user) => users.push(user) > 0 });
    const { access } = await tokens("github");
    const { subject, upstream } = await test.server.verifyAccessToken(access);
    expect(subject).toBe("https://github.com/login/oauth|583231");
    expect(users[0]).toMatchObject({ name: "octocat", email: "octocat@github.example" });
    expect(users[0]).not.toHaveProperty("organizations");
    expect(await upstream?.()).toEqual({
      provider: "github",
      accessToken: "gho_1",
      scopes: ["read:user", "user:email"],
    });
    expect(providers.forms[0]?.get("client_secret")).toBe("github secret");
    expect(providers.authorizations).toContain("Bearer gho_1");
  });

  it("knows the organizations if their scope is asked for, and no address without its scope", async () => {
    const users: UpstreamUser[] = [];
    const client = { ...GITHUB, scopes: ["read:org"] };
    const { logIn, browser } = upstreamTest(client, { allow: (user) => users.push(user) > 0 });
    await logIn("github");
    expect(browser.location?.startsWith(REDIRECT)).toBe(true);
    expect(users[0]).toMatchObject({ organizations: ["Octo-Org"] });
    expect(users[0]).not.toHaveProperty("email");
  });

  it("may do without any scope", async () => {
    const { browser } = upstreamTest({ ...GITHUB, scopes: [] });
    await browser.authorize();
    expect(browser.page).toContain("<p>GitHub logs you in.</p>");
    expect(await browser.submit({ provider: "github" })).not.toHaveProperty("scope");
  });

  it("sends no nonce, which OAuth 2 does not know", async () => {
    const { browser } = upstreamTest(GITHUB);
    await browser.authorize();
    expect(await browser.submit({ provider: "github" })).not.toHaveProperty("nonce");
  });

  it("has no address if the list of addresses is none", async () => {
    const users: UpstreamUser[] = [];
    const { logIn, providers } = upstreamTest(GITHUB, { allow: (user) => users.push(user) > 0 });
    providers.answers["GET https://api.github.com/user/emails"] = () => json({ message: "none" });
    await logIn("github");
    expect(users[0]).not.toHaveProperty("email");
  });

  it("fails for an error that comes with status 200", async () => {
    const { logIn, providers, failures } = upstreamTest(GITHUB);
    providers.answers["POST https://github.com/login/oauth/access_token"] = () =>
      json({ error: "bad_verification_code" });
    expect(await logIn("github")).toMatchObject({ error: "server_error" });
    expect(failures[0]?.message).toContain('"bad_verification_code"');
  });

  it.each([
    ["a status", () => json({ message: "Bad credentials" }, 401), "user info was answered with status 401"],
    ["no JSON", () => new Response("gho_secret"), "user info is not JSON"],
    ["no user", () => json(null), "the subject must have 1 to 255 visible characters"],
    ["no number", () => json({ login: "octocat" }), "the subject must have 1 to 255 visible characters"],
    ["a long subject", () => json({ id: "x".repeat(256) }), "the subject must have 1 to 255 visible characters"],
  ])("fails for user info that is %s", async (_what, answer, problem) => {
    const { logIn, providers, failures } = upstreamTest(GITHUB);
    providers.answers["GET https://api.github.com/user"] = answer;
    expect(await logIn("github")).toMatchObject({ error: "server_error", iss: ISSUER });
    expect(failures.map(({ message }) => message)).toEqual([`GitHub: ${problem}`]);
  });
});

describe("the answer of a provider", () => {
  it.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["another audience", { aud: "somebody-else" }],
    ["another nonce", { nonce: "n" }],
    ["an expiry in the past", { exp: 1 }],
    ["no subject", { sub: undefined }],
    ["another party in azp", { aud: ["mcp", "other"], azp: "other" }],
  ])("is refused for an ID token with %s", async (_what, claims) => {
    const { logIn, providers, failures, test } = upstreamTest();
    providers.answers[TOKEN] = (_request, form) => providers.openIdTokens(form, claims);
    expect(await logIn()).toMatchObject({
      error: "server_error",
      error_description: "the answer of Corp cannot be used",
    });
    expect(failures).toHaveLength(1);
    expect(test.errors).toEqual([]);
  });

  it("is refused for an ID token that the provider did not sign, or not with an algorithm of its metadata", async () => {
    const forged = upstreamTest();
    forged.providers.answers[TOKEN] = async () => {
      const [header, payload] = (await forged.providers.idToken()).split(".");
      return json({
        access_token: "corp_1",
        token_type: "Bearer",
        id_token: `${header}.${payload}.${"A".repeat(342)}`,
      });
    };
    expect(await forged.logIn()).toMatchObject({ error: "server_error" });
    const unsigned = upstreamTest();
    unsigned.providers.answers[TOKEN] = async () => {
      const [, payload] = (await unsigned.providers.idToken()).split(".");
      const header = btoa('{"alg":"none"}').replaceAll("=", "");
      return json({ access_token: "corp_1", token_type: "Bearer", id_token: `${header}.${payload}.` });
    };
    expect(await unsigned.logIn()).toMatchObject({ error: "server_error" });
    const another = upstreamTest();
    another.providers.metadata.id_token_signing_alg_values_supported = ["ES256"];
    expect(await another.logIn()).toMatchObject({ error: "server_error" });
  });

  it("is refused without an ID token, and with user info of somebody else", async () => {
    const bare = upstreamTest();
    bare.providers.answers[TOKEN] = () => json({ access_token: "corp_1", token_type: "Bearer" });
    expect(await bare.logIn()).toMatchObject({ error: "server_error" });
    const swapped = upstreamTest();
    swapped.providers.answers[TOKEN] = (_request, form) => swapped.providers.openIdTokens(form, { name: undefined });
    swapped.providers.answers["GET https://login.corp.example/me"] = () => json({ sub: "u-2", name: "Eve" });
    expect(await swapped.logIn()).toMatchObject({ error: "server_error" });
  });

  it.each([
    ["access_denied", "access_denied", "Corp did not log the user in"],
    ["interaction_required", "access_denied", "Corp did not log the user in"],
    ["temporarily_unavailable", "temporarily_unavailable", "Corp cannot be reached; try again later"],
    ["invalid_scope", "server_error", "the answer of Corp cannot be used"],
  ])("%s ends the login with %s", async (given, error, error_description) => {
    const { logIn } = upstreamTest();
    expect(await logIn("corp", { error: given })).toEqual({
      error,
      error_description,
      state: "the state",
      iss: ISSUER,
    });
  });

  it("ends the login with temporarily_unavailable if the provider fails or does not answer", async () => {
    const failing = upstreamTest();
    failing.providers.answers[TOKEN] = () => new Response("oops", { status: 502 });
    expect(await failing.logIn()).toMatchObject({ error: "temporarily_unavailable", iss: ISSUER });
    expect(failing.failures[0]?.message).toBe("Corp: answered with status 502");
    const busy = upstreamTest();
    busy.providers.answers[TOKEN] = () => new Response("slow down", { status: 429 });
    expect(await busy.logIn()).toMatchObject({ error: "temporarily_unavailable" });
    const stated = upstreamTest();
    stated.providers.answers[TOKEN] = () => json({ error: "temporarily_unavailable" }, 400);
    expect(await stated.logIn()).toMatchObject({ error: "temporarily_unavailable" });
    const silent = upstreamTest(CORP, { timeoutMs: 20 });
    silent.providers.answers[DISCOVERY] = () => new Promise(() => undefined);
    await silent.browser.authorize();
    expect(await silent.browser.submit({ provider: "corp" })).toMatchObject({ error: "temporarily_unavailable" });
  });

  it("ends the login with server_error if the metadata cannot be used", async () => {
    for (const metadata of [
      { issuer: "https://evil.example" },
      { jwks_uri: undefined },
      { authorization_endpoint: "http://login.corp.example/authorize" },
      { token_endpoint: "javascript:alert(1)" },
    ]) {
      const { browser, providers } = upstreamTest();
      Object.assign(providers.metadata, metadata);
      await browser.authorize();
      expect(await browser.submit({ provider: "corp" })).toMatchObject({ error: "server_error" });
    }
  });

  it("never shows a token or a secret in what is reported", async () => {
    const { logIn, providers, failures } = upstreamTest();
    providers.answers[TOKEN] = () =>
      json({ access_token: "corp_secret", token_type: "mac", refresh_token: "more_secret" });
    await logIn();
    const [failure] = failures;
    expect(failure?.message).toContain("Corp: ");
    expect(failure).not.toHaveProperty("cause");
    expect(JSON.stringify([failure, failure?.message, failure?.stack])).not.toContain("secret");
  });
});

describe("the callback", () => {
  it("that is replayed, or comes from another browser, or comes late, is refused", async () => {
    const { browser, providers, test, clock } = upstreamTest();
    await browser.authorize();
    await browser.submit({ provider: "corp" });
    const { pathname, search } = providers.authorize(browser.location);
    const stranger = new TestBrowser(test);
    await stranger.authorize();
    await stranger.open(`${pathname}${search}`);
    expect([stranger.status, stranger.location]).toEqual([400, null]);
    expect(await browser.open(`${pathname}${search}`)).toHaveProperty("code");
    await browser.open(`${pathname}${search}`);
    expect([browser.status, browser.location]).toEqual([400, null]);
    await browser.authorize();
    await browser.submit({ provider: "corp" });
    const late = providers.authorize(browser.location);
    clock.now += 600_000;
    await browser.open(`${late.pathname}${late.search}`);
    expect([browser.status, browser.location]).toEqual([400, null]);
  });

  it("that arrives twice at one time redeems its code once, and gives one code", async () => {
    const { browser, providers, test } = upstreamTest();
    await browser.authorize();
    await browser.submit({ provider: "corp" });
    const { pathname, search } = providers.authorize(browser.location);
    const twin = new TestBrowser(test);
    twin.cookie = browser.cookie;
    const answers = await Promise.all([browser, twin].map((each) => each.open(`${pathname}${search}`)));
    expect(answers.filter((answer) => "code" in answer)).toHaveLength(1);
    expect(providers.calls.filter((call) => call === TOKEN)).toHaveLength(1);
  });

  it("before the user has approved the client is refused", async () => {
    const { browser, providers } = upstreamTest();
    await browser.authorize();
    const state = /name="transaction" value="([^"]*)"/.exec(browser.page)?.[1];
    const answer = await browser.open(`/login/callback/corp?state=${state}&code=c-1`);
    expect(answer).toMatchObject({ error: "access_denied" });
    expect(providers.calls).toEqual([]);
  });

  it.each([
    ["comes to the path of another provider", "/login/callback/github", {}],
    ["comes to the path of no provider", "/login/callback", {}],
    ["names another issuer", "/login/callback/corp", { iss: "https://evil.example" }],
  ])("that %s is refused, and its code is redeemed nowhere", async (_what, path, parameters) => {
    const { browser, providers } = upstreamTest({ providers: [CORP, GITHUB] });
    await browser.authorize();
    await browser.submit({ provider: "corp" });
    const { search } = providers.authorize(browser.location, { code: "c-1", ...parameters });
    expect(await browser.open(`${path}${search}`)).toHaveProperty("error");
    expect(providers.forms).toEqual([]);
  });

  it("without the issuer is refused if the provider promises to name it", async () => {
    const { logIn, providers } = upstreamTest();
    providers.metadata.authorization_response_iss_parameter_supported = true;
    expect(await logIn()).toMatchObject({ error: "server_error" });
    expect(await logIn("corp", { code: "c-1", iss: OPENID.issuer })).toHaveProperty("code");
  });
});

describe("several providers", () => {
  it("are offered side by side, and one subject at two of them is two users", async () => {
    const { browser, logIn, providers, test } = upstreamTest({ providers: [CORP, GITHUB] });
    await browser.authorize();
    expect([...browser.page.matchAll(/name="provider" value="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "corp",
      "github",
    ]);
    providers.claims.sub = "583231";
    const subjects: string[] = [];
    for (const provider of ["corp", "github"]) {
      const { body } = await test.redeem(`${(await logIn(provider)).code}`);
      subjects.push((await test.server.verifyAccessToken(`${body.access_token}`)).subject);
    }
    expect(new Set(subjects).size).toBe(2);
  });

  it("let the user go back and choose another one", async () => {
    const { browser, providers } = upstreamTest({ providers: [CORP, GITHUB] });
    await browser.authorize();
    const { page } = browser;
    await browser.submit({ provider: "corp" });
    browser.page = page;
    await browser.submit({ provider: "github" });
    const { pathname, search } = providers.authorize(browser.location);
    expect(pathname).toBe("/login/callback/github");
    expect(await browser.open(`${pathname}${search}`)).toHaveProperty("code");
  });
});

describe("upstreamLogin", () => {
  it.each([
    ["no provider", { providers: [] }, "expected at least one"],
    ["one provider twice", { providers: [GITHUB, GITHUB] }, "two have one name"],
    ["no client id", { ...GITHUB, clientId: "" }, 'provider "github": clientId: got ""'],
    ["no secret", { ...GITHUB, clientSecret: undefined }, 'provider "github": clientSecret: got undefined'],
    ["a name for no path", { ...GITHUB, provider: { ...github, name: "Git Hub" } }, "name must have"],
    [
      "an endpoint without https",
      { ...GITHUB, provider: { ...github, tokenEndpoint: "http://x.example" } },
      "tokenEndpoint must be an https URL",
    ],
    ["an issuer that is no URL", { ...CORP, provider: { ...OPENID, issuer: "corp" } }, "issuer must be an https URL"],
    ["scopes without openid", { ...CORP, scopes: ["email"] }, "scopes must include openid"],
    ["no time", { ...CORP, timeoutMs: 0 }, "timeoutMs"],
    ["endless time", { ...CORP, timeoutMs: Number.POSITIVE_INFINITY }, "timeoutMs: expected milliseconds from 1 to"],
    ["no key", { ...CORP, keys: [] }, "keys: expected at least one"],
  ])("refuses %s", (_what, options, problem) => {
    expect(() => upstreamLogin(options)).toThrow(problem);
  });

  it("has a callback for each provider", async () => {
    const login = upstreamLogin(GITHUB);
    expect(login.callbacks).toEqual(["github"]);
  });

  it("redeems a bounded number of codes at a time", async () => {
    const { providers } = upstreamTest();
    const login = upstreamLogin({ ...CORP, fetch: providers.fetch as typeof fetch, now: () => providers.clock.now });
    providers.answers[TOKEN] = () => new Promise(() => undefined);
    const outcomes: unknown[] = [];
    for (let index = 0; index <= 100; index++) {
      const transaction = { id: `t-${index}`, callbackUrl: `${ISSUER}/login/callback` } as never as { id: string };
      const left = await login.finish(transaction as never, {
        from: "form",
        parameters: new URLSearchParams({ provider: "corp" }),
      });
      const remembered = left.kind === "redirect" ? left.remember : undefined;
      const parameters = new URLSearchParams({ state: transaction.id, code: "c" });
      const back = login.finish({ ...transaction, remembered } as never, {
        ...{ from: "callback", parameters, path: "/login/callback/corp" },
      });
      if (index === 100) outcomes.push(await back);
    }
    expect(outcomes).toEqual([
      { kind: "failed", error: "temporarily_unavailable", description: "too many logins; try again later" },
    ]);
  });
});
