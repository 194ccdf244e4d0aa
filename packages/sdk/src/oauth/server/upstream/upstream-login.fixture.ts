/** Upstream providers in process: one that speaks OpenID Connect, and one that is like GitHub. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { type Clock, TestBrowser, TestServer } from "../authorization-server.fixture.js";
import type { AuthorizationStore } from "../authorization-store.js";
import { github } from "./provider-presets.js";
import { type UpstreamLoginOptions, type UpstreamSettings, upstreamLogin } from "./upstream-login.js";
import type { OpenIdProvider, UpstreamClient } from "./upstream-provider.js";

export const OPENID: OpenIdProvider = { name: "corp", label: "Corp", issuer: "https://login.corp.example" };
export const CORP: UpstreamClient = { provider: OPENID, clientId: "mcp", clientSecret: "corp secret" };
export const GITHUB: UpstreamClient = { provider: github, clientId: "mcp-at-github", clientSecret: "github secret" };

type Answer = (request: Request, form: URLSearchParams) => Response | Promise<Response>;

const { publicKey, privateKey } = await generateKeyPair("RS256");
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "RS256", use: "sig" }] };

export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status });
}

/** Answers by method and URL without query; `answers` can be replaced by a test. */
export class ScriptedProviders {
  readonly clock: Clock;
  readonly calls: string[] = [];
  readonly forms: URLSearchParams[] = [];
  readonly authorizations: (string | null)[] = [];
  claims: Record<string, unknown> = { sub: "u-1", name: "Ada", email: "ada@corp.example", email_verified: true };
  tokens: Record<string, unknown> = {};
  readonly answers: Record<string, Answer> = {
    "GET https://login.corp.example/.well-known/openid-configuration": () => json(this.metadata),
    "GET https://login.corp.example/jwks": () => json(jwks),
    "POST https://login.corp.example/token": async (_request, form) => this.openIdTokens(form),
    "GET https://login.corp.example/me": () => json(this.claims),
    "POST https://github.com/login/oauth/access_token": async (_request, form) =>
      json(
        (await this.isProven(form))
          ? { access_token: "gho_1", token_type: "bearer", scope: "read:user,user:email", ...this.tokens }
          : { error: "bad_verification_code" },
      ),
    "GET https://api.github.com/user": () =>
      json({ id: 583231, login: "octocat", name: "Mona", email: "public@x.example" }),
    "GET https://api.github.com/user/emails": () =>
      json([
        { email: "second@x.example", primary: false, verified: true },
        { email: "octocat@github.example", primary: true, verified: true },
      ]),
    "GET https://api.github.com/user/orgs": () => json([{ login: "Octo-Org" }, null, { login: 7 }]),
  };
  metadata: Record<string, unknown> = {
    issuer: OPENID.issuer,
    authorization_endpoint: `${OPENID.issuer}/authorize?from=metadata`,
    token_endpoint: `${OPENID.issuer}/token`,
    jwks_uri: `${OPENID.issuer}/jwks`,
    userinfo_endpoint: `${OPENID.issuer}/me`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  #challenge = "";
  #nonce = "";

  constructor(clock: Clock) {
    this.clock = clock;
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    const call = `${request.method} ${origin}${pathname}`;
    this.calls.push(call);
    this.authorizations.push(request.headers.get("authorization"));
    const form = new URLSearchParams(await request.text());
    if (request.method === "POST") this.forms.push(form);
    const answer = this.answers[call];
    if (answer === undefined) throw new Error(`nobody answers ${call}`);
    return answer(request, form);
  };

  /** The user logs in at the provider: the URL that the browser is sent back to. */
  authorize(location: string | null, parameters: Record<string, string> = { code: "c-1" }): URL {
    const asked = new URL(`${location}`).searchParams;
    this.#challenge = `${asked.get("code_challenge")}`;
    this.#nonce = `${asked.get("nonce")}`;
    const back = new URL(`${asked.get("redirect_uri")}`);
    for (const [name, value] of Object.entries({ state: `${asked.get("state")}`, ...parameters })) {
      back.searchParams.set(name, value);
    }
    return back;
  }

  async isProven(form: URLSearchParams): Promise<boolean> {
    return (await calculatePKCECodeChallenge(`${form.get("code_verifier")}`)) === this.#challenge;
  }

  async openIdTokens(form: URLSearchParams, claims: Record<string, unknown> = {}): Promise<Response> {
    if (form.get("grant_type") === "authorization_code" && !(await this.isProven(form))) {
      return json({ error: "invalid_grant" }, 400);
    }
    const id_token = await this.idToken(claims);
    return json({ access_token: "corp_1", token_type: "Bearer", id_token, ...this.tokens });
  }

  idToken(claims: Record<string, unknown> = {}): Promise<string> {
    const seconds = Math.floor(this.clock.now / 1_000);
    const all = {
      iss: OPENID.issuer,
      aud: "mcp",
      iat: seconds,
      exp: seconds + 300,
      nonce: this.#nonce,
      ...this.claims,
    };
    return new SignJWT({ ...all, ...claims }).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(privateKey);
  }
}

export interface UpstreamTest {
  readonly test: TestServer;
  readonly browser: TestBrowser;
  readonly providers: ScriptedProviders;
  readonly clock: Clock;
  /** The errors that `onError` of the login got. */
  readonly failures: readonly Error[];
  /** Over consent and the provider to the answer for the client. */
  readonly logIn: (provider?: string, parameters?: Record<string, string>) => Promise<Record<string, string>>;
  /** Tokens of the authorization server. */
  readonly tokens: (provider?: string) => Promise<{ readonly access: string; readonly refresh: string }>;
}

/** An authorization server that delegates logins, its scripted providers, and a browser. */
export function upstreamTest(
  client: UpstreamClient | { readonly providers: readonly UpstreamClient[] } = CORP,
  settings: UpstreamSettings = {},
  store?: AuthorizationStore,
): UpstreamTest {
  const clock: Clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const failures: Error[] = [];
  const providers = new ScriptedProviders(clock);
  const options: UpstreamLoginOptions = {
    ...client,
    fetch: providers.fetch as typeof fetch,
    now: () => clock.now,
    onError: (error) => failures.push(error as Error),
    ...settings,
  };
  const test = new TestServer({ login: upstreamLogin(options), now: () => clock.now, store });
  const browser = new TestBrowser(test);
  const logIn = async (provider = "corp", parameters?: Record<string, string>): Promise<Record<string, string>> => {
    await browser.authorize();
    await browser.submit({ provider });
    const { pathname, search } = providers.authorize(browser.location, parameters);
    return browser.open(`${pathname}${search}`);
  };
  const tokens = async (provider = "corp") => {
    const { body } = await test.redeem(`${(await logIn(provider)).code}`);
    return { access: `${body.access_token}`, refresh: `${body.refresh_token}` };
  };
  return { test, browser, providers, clock, failures, logIn, tokens };
}
