/** An authorization server on a socket beside an MCP endpoint, with a client and a browser that keeps its cookie. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type HttpServerHandle, serveHttp } from "parley-mcp/node";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
  hashPassword,
} from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";

export const PASSWORD = "correct horse battery staple";
export const REDIRECT = "http://127.0.0.1:4000/callback";
export const REMOTE_REDIRECT = "https://app.example/callback";
export const SERVICE_SECRET = "secret-of-the-service";
const VERIFIER = "v".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
/** Few iterations, since every test waits for it. */
const passwordHash = await hashPassword(PASSWORD, { iterations: 10 });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

type Form = Readonly<Record<string, string>>;
export type LoginOptions = Partial<Omit<AuthorizationServerOptions, "issuer" | "resources">>;

/** As a proxy in front of the server would tell. */
const clientAddress = ({ headers }: IncomingMessage) => headers["x-real-ip"];

export class LoginServer implements AsyncDisposable {
  /** Milliseconds that the server's clock is ahead. */
  aheadMs = 0;
  readonly login: AuthorizationServer;
  readonly origin: string;
  readonly #http: HttpServerHandle;

  private constructor(http: HttpServerHandle, options: LoginOptions) {
    this.#http = http;
    this.origin = new URL(http.url).origin;
    const { login, autoApprove, users } = options;
    const hasLogin = login !== undefined || autoApprove !== undefined || users !== undefined;
    this.login = authorizationServer({
      issuer: this.origin,
      resources: [{ resource: this.resource, scopes: ["read", "write"] }],
      clients: [
        { clientId: "app", name: "The App", redirectUris: [REDIRECT, REMOTE_REDIRECT] },
        {
          clientId: "service",
          clientSecret: SERVICE_SECRET,
          grantTypes: ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
          introspects: [this.resource],
        },
      ],
      ...(!hasLogin && { users: [{ subject: "alice", name: "Alice", passwordHash }] }),
      now: () => Date.now() + this.aheadMs,
      ...options,
    });
  }

  static async start(options: LoginOptions = {}): Promise<LoginServer> {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    const { promise, settle } = later<LoginServer>();
    // The issuer names the port, which is known once the host listens.
    const routes = [async (request: Request, caller: object) => (await promise).login.handle(request, caller)];
    const started = new LoginServer(await serveHttp(server, { path: "/mcp", routes, clientAddress }), options);
    settle(started);
    return started;
  }

  get resource(): string {
    return `${this.origin}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http.close();
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.origin), { redirect: "manual", ...init });
  }

  async post(path: string, form: Form, headers: Form = {}): Promise<Answer> {
    return answerOf(await this.fetch(path, { method: "POST", body: new URLSearchParams(form), headers }));
  }

  /** As the confidential client. */
  service(path: string, form: Form): Promise<Answer> {
    return this.post(path, form, { authorization: `Basic ${btoa(`service:${SERVICE_SECRET}`)}` });
  }

  redeem(code: string | undefined, form: Form = {}, headers: Form = {}): Promise<Answer> {
    const all = {
      client_id: "app",
      grant_type: "authorization_code",
      code: `${code}`,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
      ...form,
    };
    return this.post("/token", all, headers);
  }

  refresh(token: unknown, form: Form = {}): Promise<Answer> {
    return this.post("/token", { client_id: "app", grant_type: "refresh_token", refresh_token: `${token}`, ...form });
  }

  async register(metadata: unknown): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    return answerOf(await this.fetch("/register", { method: "POST", body: JSON.stringify(metadata), headers }));
  }

  /** A code for alice, who logs in and allows. */
  async code(parameters: Record<string, string | undefined> = {}): Promise<string | undefined> {
    const browser = new LoginBrowser(this);
    await browser.authorize(parameters);
    return (await browser.logInAndAllow()).code;
  }

  authorizeUrl(parameters: Record<string, string | undefined> = {}): string {
    const all = {
      client_id: "app",
      response_type: "code",
      redirect_uri: REDIRECT,
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      resource: this.resource,
      state: "state-1",
      ...parameters,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${this.origin}/authorize?${new URLSearchParams(given)}`;
  }
}

export class LoginBrowser {
  readonly #server: LoginServer;
  cookie = "";
  page = "";
  status = 0;
  location: string | null = null;
  readonly #address: string;

  /** @param address where the proxy in front of the server sees the browser */
  constructor(server: LoginServer, address = "192.0.2.1") {
    this.#server = server;
    this.#address = address;
  }

  /** The parameters of a redirect; none for a page. */
  async open(url: string, init: RequestInit = {}): Promise<Record<string, string>> {
    const response = await this.#server.fetch(url, {
      ...init,
      headers: { cookie: this.cookie, "x-real-ip": this.#address },
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.slice(0, set.indexOf(";"));
    this.status = response.status;
    this.location = response.headers.get("location");
    this.page = await response.text();
    return this.location === null ? {} : Object.fromEntries(new URL(this.location).searchParams);
  }

  authorize(parameters: Record<string, string | undefined> = {}): Promise<Record<string, string>> {
    return this.open(this.#server.authorizeUrl(parameters));
  }

  /** Sends the form of the last page with its hidden inputs. */
  submit(fields: Form): Promise<Record<string, string>> {
    const action = /<form method="post" action="([^"]*)"/.exec(this.page)?.[1] ?? "/no-form";
    const hidden = [...this.page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const values = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
    return this.open(action, { method: "POST", body: new URLSearchParams({ ...values, ...fields }) });
  }

  logIn(password: string = PASSWORD): Promise<Record<string, string>> {
    return this.submit({ username: "alice", password });
  }

  async logInAndAllow(): Promise<Record<string, string>> {
    await this.logIn();
    return this.submit({ decision: "allow" });
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

function later<Value>(): { promise: Promise<Value>; settle: (value: Value) => void } {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle: (value) => settle(value) };
}
