import { emailDomains, github, memberOf, type UpstreamLoginOptions, upstreamLogin } from "parley-mcp/oauth/server";
import { expect } from "vitest";
import { DelegatingServer, ISSUER, REDIRECT_URI, RESOURCE } from "../../src/oauth/delegating-server.js";
import { logInAt, startIdentityProvider, UPSTREAM_CLIENT } from "../../src/oauth/identity-provider.js";
import type { LoginBrowser, Page } from "../../src/oauth/login-browser.js";
import { githubSites, ScriptedGithub } from "../../src/oauth/scripted-github.js";
import { verifies } from "../../src/verifies.js";

const CALLBACK = `${ISSUER}/login/callback/staff`;
const GITHUB = { provider: github, clientId: "mcp-at-github", clientSecret: "github secret" };

/** An MCP server whose users have accounts at a scripted GitHub. */
function atGithub(settings: Partial<UpstreamLoginOptions> = {}) {
  const provider = new ScriptedGithub();
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const login = upstreamLogin({ ...GITHUB, fetch: provider.fetch, onError, ...settings });
  const server = new DelegatingServer(login, githubSites(provider));
  return { provider, server, failures, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const approve = (browser: LoginBrowser, page: Page) => browser.submit(page, { provider: "github" });

function answer({ url }: Page): Record<string, string> {
  return Object.fromEntries(url.searchParams);
}

verifies(
  "oauth-upstream:openid-connect",
  "a user passes the client's document, the consent and the provider's pages, and then calls a protected tool",
  async () => {
    await using staff = await startIdentityProvider(CALLBACK);
    const provider = { name: "staff", label: "Staff", issuer: staff.issuer };
    await using server = new DelegatingServer(upstreamLogin({ provider, ...UPSTREAM_CLIENT }));
    server.mcp.tool("mail", {}, async (_args, { auth }) => {
      const token = await auth?.upstream?.();
      const me = await fetch(`${staff.issuer}/me`, { headers: { authorization: `Bearer ${token?.accessToken}` } });
      return `${auth?.subject} has ${((await me.json()) as { email: string }).email}`;
    });

    const client = await server.connect(async (browser, page) => {
      expect(page.text).toContain("Allow Notes App to use your account?");
      return logInAt(browser, await browser.submit(page, { provider: "staff" }), "ada");
    });
    const { content } = await client.callTool("mail");
    await client.close();

    expect(content).toEqual([{ type: "text", text: `${staff.issuer}|ada has ada@staff.example` }]);
  },
);

verifies(
  "oauth-upstream:plain-oauth2",
  "a user of a provider without ID tokens is the account number there, and a rule sees the verified address alone",
  async () => {
    const users: unknown[] = [];
    await using github = atGithub({ allow: (user) => users.push(user) > 0 });
    github.server.mcp.tool("whoami", {}, (_args, { auth }) => `${auth?.subject}`);

    const client = await github.server.connect(approve);
    const { content } = await client.callTool("whoami");
    await client.close();

    expect(content).toEqual([{ type: "text", text: "https://github.com/login/oauth|583231" }]);
    expect(users).toMatchObject([{ subject: "583231", name: "octocat", email: "octocat@octo.example" }]);
  },
);

verifies(
  "oauth-upstream:allow-again",
  "a user whom the rule refuses cannot refresh, and the tokens of the grant are refused",
  async () => {
    const members = new Set(["583231"]);
    await using github = atGithub({ allow: ({ subject }) => members.has(subject) });
    const { login, handler } = github.server;
    const browser = github.server.browser();
    const { url } = await approve(browser, await browser.open(new URL(github.server.authorizeUrl())));
    const ask = async (form: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: "https://app.example.com/client.json", ...form });
      const response = await handler(new Request(`${ISSUER}/token`, { method: "POST", body }));
      return (await response.json()) as Record<string, string>;
    };
    const code = { code: `${url.searchParams.get("code")}`, code_verifier: "v".repeat(43) };
    const first = await ask({ grant_type: "authorization_code", ...code });
    const second = await ask({ grant_type: "refresh_token", refresh_token: `${first.refresh_token}` });
    members.clear();

    const refused = await ask({ grant_type: "refresh_token", refresh_token: `${second.refresh_token}` });
    expect(refused.error).toBe("invalid_grant");
    await expect(login.verifyAccessToken(`${second.access_token}`)).rejects.toThrow("revoked");
  },
);

verifies(
  "oauth-upstream:own-credentials",
  "a wrong client secret at the provider ends the login, and the operator hears which options to check",
  async () => {
    await using staff = await startIdentityProvider(CALLBACK);
    const failures: unknown[] = [];
    const provider = { name: "staff", label: "Staff", issuer: staff.issuer };
    const client = { ...UPSTREAM_CLIENT, clientSecret: "a wrong secret" };
    const login = upstreamLogin({ provider, ...client, onError: (error) => failures.push(error) });
    await using server = new DelegatingServer(login);
    const browser = server.browser();
    const page = await browser.submit(await browser.open(new URL(server.authorizeUrl())), { provider: "staff" });

    expect(answer(await logInAt(browser, page, "ada"))).toMatchObject({ error: "server_error" });
    expect(`${failures[0]}`).toContain("check clientId and clientSecret of upstreamLogin");
  },
);

verifies(
  "oauth-upstream:issuer-spelling",
  "a provider whose metadata lacks a slash of the configured issuer logs nobody in, and the operator hears both spellings",
  async () => {
    await using staff = await startIdentityProvider(CALLBACK);
    const failures: unknown[] = [];
    const provider = { name: "staff", label: "Staff", issuer: `${staff.issuer}/` };
    const login = upstreamLogin({ provider, ...UPSTREAM_CLIENT, onError: (error) => failures.push(error) });
    await using server = new DelegatingServer(login);
    const browser = server.browser();
    const page = await browser.submit(await browser.open(new URL(server.authorizeUrl())), { provider: "staff" });

    expect(answer(page)).toMatchObject({ error: "server_error" });
    expect(`${failures[0]}`).toContain(`names the issuer "${staff.issuer}", and the provider has "${staff.issuer}/"`);
  },
);

verifies(
  "oauth-upstream:several",
  "two providers are offered side by side, and each user logs in at the chosen one",
  async () => {
    await using staff = await startIdentityProvider(CALLBACK);
    const scripted = new ScriptedGithub();
    const openId = { provider: { name: "staff", label: "Staff", issuer: staff.issuer }, ...UPSTREAM_CLIENT };
    // The scripted provider and the one on the network behind one function.
    const send: typeof scripted.fetch = (url, init) =>
      url.origin === staff.issuer ? fetch(url, init) : scripted.fetch(url, init);
    const login = upstreamLogin({ providers: [openId, GITHUB], fetch: send });
    await using server = new DelegatingServer(login, githubSites(scripted));
    server.mcp.tool("whoami", {}, (_args, { auth }) => `${auth?.subject}`);
    const subjectOf = async (logIn: (browser: LoginBrowser, page: Page) => Promise<Page>) => {
      const client = await server.connect(logIn);
      const { content } = await client.callTool("whoami");
      await client.close();
      return content;
    };

    const pages: string[] = [];
    const first = await subjectOf(async (browser, page) => {
      pages.push(page.text);
      return logInAt(browser, await browser.submit(page, { provider: "staff" }), "583231");
    });
    const second = await subjectOf(approve);

    expect(pages[0]).toContain("Allow and log in with Staff");
    expect(pages[0]).toContain("Allow and log in with GitHub");
    expect(first).toEqual([{ type: "text", text: `${staff.issuer}|583231` }]);
    expect(second).toEqual([{ type: "text", text: "https://github.com/login/oauth|583231" }]);
  },
);

verifies(
  "oauth-upstream:consent-first",
  "a user approves each client on a page of the server, although the provider lets the same user pass without a question",
  async () => {
    await using github = atGithub();
    const browser = github.server.browser();
    await browser.submit(await browser.open(github.server.authorizeUrl()), { provider: "github" });
    browser.visited.length = 0;

    const page = await browser.open(github.server.authorizeUrl());
    const denied = await browser.submit(page, { decision: "deny" });

    expect(page.status).toBe(200);
    expect(page.text).toContain("Allow Notes App to use your account?");
    expect(page.text).toContain("<strong>app.example.com</strong>");
    expect(page.text).toContain("<strong>127.0.0.1:7777</strong>");
    expect(page.text).toContain("<code>read:user</code>, <code>user:email</code>");
    expect(answer(denied)).toMatchObject({ error: "access_denied", state: "of the client", iss: ISSUER });
    expect(browser.visited).toEqual([`GET ${ISSUER}/authorize`, `POST ${ISSUER}/login`]);
  },
);

verifies(
  "oauth-upstream:asks-again",
  "the next request of the same browser is approved and goes to the provider again, since a login keeps no session",
  async () => {
    await using github = atGithub();
    const browser = github.server.browser();
    const first = await approve(browser, await browser.open(github.server.authorizeUrl()));

    const page = await browser.open(github.server.authorizeUrl());
    const silent = await browser.open(github.server.authorizeUrl({ prompt: "none" }));
    const second = await approve(browser, page);

    expect(answer(first)).toHaveProperty("code");
    expect(page.text).toContain("Allow Notes App to use your account?");
    expect(answer(silent)).toMatchObject({ error: "login_required" });
    expect(answer(second)).toHaveProperty("code");
    expect(github.provider.accessTokens).toHaveLength(2);
  },
);

verifies(
  "oauth-upstream:no-passthrough",
  "the client never gets the provider's token, which the resource refuses, and the provider gets no token of the client",
  async () => {
    await using github = atGithub();
    const { server, provider } = github;
    const held: (string | undefined)[] = [];
    server.mcp.tool("use", {}, async (_args, { auth }) => {
      held.push((await auth?.upstream?.())?.accessToken);
      return JSON.stringify(auth);
    });

    const client = await server.connect(approve);
    await client.callTool("use");
    await client.close();
    const [upstreamToken = ""] = provider.accessTokens;
    const refused = await server.handler(
      new Request(RESOURCE, { method: "POST", headers: { authorization: `Bearer ${upstreamToken}` }, body: "{}" }),
    );

    expect(held).toEqual([upstreamToken]);
    expect(server.responses.join("\n")).not.toContain(upstreamToken);
    expect(server.responses.join("\n")).not.toContain("github secret");
    expect(refused.status).toBe(401);
  },
);

verifies(
  "oauth-upstream:mix-up",
  "a callback at the path of another provider or with another issuer is refused, and its code is redeemed nowhere",
  async () => {
    const evil = { name: "evil", label: "Evil", issuer: "https://evil.example" };
    const scripted = new ScriptedGithub();
    scripted.answers.set("https://evil.example/.well-known/openid-configuration", () =>
      Response.json({
        issuer: evil.issuer,
        authorization_endpoint: "https://evil.example/authorize",
        token_endpoint: "https://evil.example/token",
        jwks_uri: "https://evil.example/jwks",
      }),
    );
    const login = upstreamLogin({
      providers: [GITHUB, { provider: evil, clientId: "mcp-at-evil" }],
      fetch: scripted.fetch,
      onError: () => {},
    });
    // The evil provider sends the browser on to GitHub, with this server's client id and state.
    const onward = (request: Request) => {
      const { searchParams } = new URL(request.url);
      searchParams.set("client_id", GITHUB.clientId);
      searchParams.set("redirect_uri", `${ISSUER}/login/callback/github`);
      return new Response(null, {
        status: 302,
        headers: { location: `https://github.com/login/oauth/authorize?${searchParams}` },
      });
    };
    await using server = new DelegatingServer(login, { ...githubSites(scripted), "https://evil.example": onward });
    const browser = server.browser();

    const page = await browser.submit(await browser.open(server.authorizeUrl()), { provider: "evil" });
    scripted.denial = { code: "c-1", iss: "https://evil.example" };
    const other = await browser.submit(await browser.open(server.authorizeUrl()), { provider: "github" });

    expect(answer(page)).toMatchObject({ error: "access_denied", iss: ISSUER });
    expect(answer(other)).toMatchObject({ error: "server_error", iss: ISSUER });
    expect(browser.visited).toContain("GET https://github.com/login/oauth/authorize");
    expect(scripted.calls).toEqual(["GET https://evil.example/.well-known/openid-configuration"]);
  },
);

verifies(
  "oauth-upstream:bound-to-browser",
  "a callback in another browser, repeated, too late or before the approval is refused with a page",
  async () => {
    const scripted = new ScriptedGithub();
    const callbacks: URL[] = [];
    // Holds the browser at the callback.
    const site = (request: Request) => {
      callbacks.push(new URL(`${scripted.site(request).headers.get("location")}`));
      return new Response("held");
    };
    let now = Date.now();
    const login = upstreamLogin({ ...GITHUB, fetch: scripted.fetch });
    await using server = new DelegatingServer(login, { "https://github.com": site }, { now: () => now });
    const [browser, another] = [server.browser(), server.browser()];
    const begin = async () => {
      await browser.submit(await browser.open(server.authorizeUrl()), { provider: "github" });
      return callbacks.at(-1) as URL;
    };

    const callback = await begin();
    await another.open(server.authorizeUrl());
    const stolen = await another.open(callback);
    const own = await browser.open(callback);
    const replayed = await browser.open(callback);
    const late = await begin();
    now += 600_000;
    const expired = await browser.open(late);
    const unapproved = await browser.open(server.authorizeUrl());
    const state = /name="transaction" value="([^"]*)"/.exec(unapproved.text)?.[1];
    const early = await browser.open(`${ISSUER}/login/callback/github?state=${state}&code=c-1`);

    expect(stolen.status).toBe(400);
    expect(own.url.href.startsWith(`${REDIRECT_URI}?code=`)).toBe(true);
    expect(replayed.status).toBe(400);
    expect(expired.status).toBe(400);
    expect(answer(early)).toMatchObject({ error: "access_denied" });
    expect(scripted.accessTokens).toHaveLength(1);
  },
);

verifies(
  "oauth-upstream:allow",
  "a user whom the rule refuses by domain or by organization reads the reason, and the client gets access_denied",
  async () => {
    await using domain = atGithub({ allow: emailDomains("staff.example") });
    await using members = atGithub({ allow: memberOf("octo-org"), scopes: ["read:user", "read:org"] });
    const browser = domain.server.browser();

    const page = await approve(browser, await browser.open(domain.server.authorizeUrl()));
    const link = /<a href="([^"]*)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&");
    const member = members.server.browser();
    const allowed = await approve(member, await member.open(members.server.authorizeUrl()));

    expect(page.status).toBe(403);
    expect(page.text).toContain("GitHub has logged you in as octocat, but this server does not let you in.");
    expect(page.text).toContain("Only addresses of staff.example are allowed.");
    expect(answer(await browser.open(`${link}`))).toMatchObject({ error: "access_denied", iss: ISSUER });
    expect(answer(allowed)).toHaveProperty("code");
  },
);

verifies(
  "oauth-upstream:failures",
  "a provider that fails ends the login with an error for the client, and the operator hears of all failures but denials",
  async () => {
    const token = "https://github.com/login/oauth/access_token";
    const user = "https://api.github.com/user";
    const cases: readonly {
      denial?: Record<string, string>;
      place?: string;
      answers?: () => Response | Promise<Response>;
      error: string;
    }[] = [
      { denial: { error: "access_denied" }, error: "access_denied" },
      { place: token, answers: () => new Response("", { status: 503 }), error: "temporarily_unavailable" },
      { place: token, answers: () => new Response("<html>gho_secret"), error: "server_error" },
      { place: token, answers: () => Response.json({ error: "nonsense", hint: "gho_secret" }), error: "server_error" },
      { place: user, answers: () => new Response("gho_secret"), error: "server_error" },
      { place: user, answers: () => new Promise<Response>(() => {}), error: "temporarily_unavailable" },
    ];
    for (const { place, answers, denial, error } of cases) {
      await using github = atGithub({ timeoutMs: 500 });
      github.provider.denial = denial;
      if (place !== undefined && answers) github.provider.answers.set(place, answers);
      const browser = github.server.browser();

      const page = await approve(browser, await browser.open(github.server.authorizeUrl()));

      expect(answer(page)).toMatchObject({ error, state: "of the client", iss: ISSUER });
      expect(github.failures).toHaveLength(denial ? 0 : 1);
      expect(`${page.url} ${github.failures}`).not.toContain("secret");
    }
  },
);
