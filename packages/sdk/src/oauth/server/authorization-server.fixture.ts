/** An authorization server in process, a client of it, and a browser that keeps its cookies. */
import { calculatePKCECodeChallenge } from "oauth4webapi";
import type { JsonObject } from "../../runtime/json.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "./authorization-server.js";
import type { AuthorizationStore } from "./authorization-store.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import { hashPassword } from "./password-login.js";

export const ISSUER = "http://127.0.0.1:3000";
export const RESOURCE = "http://127.0.0.1:3000/mcp";
export const REDIRECT = "http://127.0.0.1:4000/callback";
const VERIFIER = "v".repeat(43);
export const PASSWORD = "correct horse battery staple";

/** One hash for all tests: few iterations, since they wait for it. */
const passwordHash = await hashPassword(PASSWORD, { iterations: 10 });
export const CHALLENGE: string = await calculatePKCECodeChallenge(VERIFIER);

export interface Clock {
  now: number;
}

export class TestServer {
  readonly clock: Clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  readonly errors: unknown[] = [];
  readonly server: AuthorizationServer;

  constructor(options: Partial<AuthorizationServerOptions> = {}) {
    const hasLogin = options.login !== undefined || options.autoApprove !== undefined;
    this.server = authorizationServer({
      issuer: ISSUER,
      resources: [{ resource: RESOURCE, scopes: ["read", "write"] }],
      clients: [
        { clientId: "app", name: "The App", redirectUris: [REDIRECT, "https://app.example/callback"] },
        {
          clientId: "service",
          clientSecret: "the secret of the service",
          grantTypes: ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
          introspects: [RESOURCE],
        },
      ],
      ...(!hasLogin && { users: [{ subject: "alice", name: "Alice", passwordHash }] }),
      now: () => this.clock.now,
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  async fetch(path: string, init: RequestInit = {}, address?: string): Promise<Response> {
    const url = new URL(path, `${this.server.issuer}/`);
    const response = await this.server.handle(new Request(url, init), { address });
    if (!response) throw new Error(`no route for ${url.pathname}`);
    return response;
  }

  post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, { method: "POST", body: new URLSearchParams(form), headers });
  }

  /** A token request of the public client. */
  async token(form: Record<string, string>, headers?: Record<string, string>): Promise<Answer> {
    return answerOf(await this.post("/token", { client_id: "app", ...form }, headers));
  }

  redeem(code: string, form: Record<string, string> = {}, headers?: Record<string, string>): Promise<Answer> {
    return this.token(
      { grant_type: "authorization_code", code, code_verifier: VERIFIER, redirect_uri: REDIRECT, ...form },
      headers,
    );
  }

  refresh(token: unknown, form: Record<string, string> = {}, headers?: Record<string, string>): Promise<Answer> {
    return this.token({ grant_type: "refresh_token", refresh_token: `${token}`, ...form }, headers);
  }

  async service(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Basic ${btoa("service:the+secret+of+the+service")}`;
    return answerOf(await this.post(path, form, { ...headers, authorization }));
  }

  /** A code for alice, through both pages. */
  async code(parameters: Record<string, string> = {}): Promise<string> {
    const browser = new TestBrowser(this);
    await browser.authorize(parameters);
    await browser.submit({ username: "alice", password: PASSWORD });
    const { code } = await browser.submit({ decision: "allow" });
    return `${code}`;
  }
}

/** A store with a public client that is registered for a grant which needs credentials. */
export async function storeWithPublicClient(grantType: string): Promise<AuthorizationStore> {
  const store = new InMemoryAuthorizationStore({ now: () => 0 });
  const facts = { name: "Public", origin: "registration", redirectUris: [], authMethod: "none" } as const;
  const value = { ...facts, clientId: "public", grantTypes: [grantType] };
  await store.update("registrations", "public", () => ({ value, expiresAt: Number.MAX_VALUE }));
  return store;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

export function authorizePath(parameters: Record<string, string | undefined> = {}): string {
  const all = {
    client_id: "app",
    response_type: "code",
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: RESOURCE,
    state: "the state",
    ...parameters,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `authorize?${new URLSearchParams(given)}`;
}

/** Keeps the cookie and the last page. */
export class TestBrowser {
  readonly #server: TestServer;
  cookie = "";
  page = "";
  status = 0;
  location: string | null = null;

  constructor(server: TestServer) {
    this.#server = server;
  }

  /** The parameters of a redirect, or an empty record for a page. */
  async open(path: string, init: RequestInit = {}): Promise<Record<string, string>> {
    const headers = new Headers(init.headers);
    if (this.cookie !== "") headers.set("cookie", this.cookie);
    const response = await this.#server.fetch(path, { ...init, headers }, "192.0.2.1");
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.slice(0, set.indexOf(";"));
    this.status = response.status;
    this.location = response.headers.get("location");
    this.page = await response.text();
    return this.location === null ? {} : Object.fromEntries(new URL(this.location).searchParams);
  }

  authorize(parameters: Record<string, string | undefined> = {}): Promise<Record<string, string>> {
    return this.open(authorizePath(parameters));
  }

  /** Sends the form of the last page, with its hidden inputs. */
  submit(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Record<string, string>> {
    const action = /<form method="post" action="([^"]*)"/.exec(this.page)?.[1];
    if (action === undefined) throw new Error(`no form in: ${this.page}`);
    const hidden = [...this.page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
      ...fields,
    });
    return this.open(action, { method: "POST", body, headers });
  }
}
