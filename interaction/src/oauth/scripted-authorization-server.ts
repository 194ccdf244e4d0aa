/**
 * A protected MCP server and its authorization server behind one `fetch`, without sockets. Both behave well unless a test
 * replaces one of their answers. Everything that is asked of them is written down.
 */
import { Client, type ClientOptions } from "parley-mcp/client";
import { type Fetch, type OAuthAuthorization, type OAuthOptions, oauth, type RedirectReceiver } from "parley-mcp/oauth";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";

export const RESOURCE = "https://mcp.example.com/mcp";
export const ISSUER = "https://login.example.com";
export const REDIRECT_URI = "http://127.0.0.1:7777/callback";

/** One request, as a server sees it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
  /** The body as a form. */
  readonly form: URLSearchParams;
}

type Answer = (request: SeenRequest) => Response | Promise<Response>;

/** What a token allows. */
interface Token {
  readonly scopes: readonly string[];
}

export class ScriptedAuthorizationServer {
  readonly issuer: string;
  /** Requests to everything but the MCP endpoint. */
  readonly requests: SeenRequest[] = [];
  /** HTTP requests to the MCP endpoint. */
  readonly calls: SeenRequest[] = [];
  /** Authorization URLs that a user was shown. */
  readonly logins: URL[] = [];
  /** Answers by method and URL without query. */
  readonly answers: Map<string, Answer> = new Map();
  /** The challenge of a 401. */
  challenge = `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`;
  /** Scopes that a call needs, by its JSON-RPC method, or by `GET`. */
  readonly scopes: Map<string, string> = new Map();
  /** How the browser comes back from a login. */
  respond: (url: URL, code: string) => Record<string, string> = (url, code) => ({
    code,
    state: url.searchParams.get("state") ?? "",
    iss: this.issuer,
  });
  /** Seconds for which an access token is good. */
  expiresIn = 3_600;
  readonly #tokens = new Map<string, Token>();
  readonly #codes = new Map<string, URL>();
  readonly #server = new McpServer({ name: "protected", version: "1.0.0" });
  readonly #serve = createFetchHandler(this.#server, { allowedHosts: ["mcp.example.com"] });
  #issued = 0;

  constructor(issuer: string = ISSUER) {
    this.issuer = issuer;
    this.#server.tool("add", { description: "Adds" }, () => "5");
    this.describe({});
    this.describeResource({});
    this.answers.set(`POST ${this.#at("/register")}`, () => this.register({}));
    this.answers.set(`POST ${this.#at("/token")}`, (request) => this.token(request));
  }

  /** Metadata of the authorization server, with these fields in the place of the usual ones. */
  describe(fields: Record<string, unknown>, path = "/.well-known/oauth-authorization-server"): void {
    const metadata = {
      issuer: this.issuer,
      authorization_endpoint: this.#at("/authorize"),
      token_endpoint: this.#at("/token"),
      registration_endpoint: this.#at("/register"),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
      ...fields,
    };
    this.answers.set(`GET ${this.#at(path)}`, () => Response.json(metadata));
  }

  /** Metadata of the resource, with these fields in the place of the usual ones. */
  describeResource(fields: Record<string, unknown>, path = "/.well-known/oauth-protected-resource/mcp"): void {
    const metadata = { resource: RESOURCE, authorization_servers: [this.issuer], ...fields };
    this.answers.set(`GET https://mcp.example.com${path}`, () => Response.json(metadata));
  }

  register(fields: Record<string, unknown>): Response {
    return Response.json({ client_id: `client-${++this.#issued}`, ...fields }, { status: 201 });
  }

  /** The token endpoint. */
  token({ form }: SeenRequest): Response {
    const asked = this.#codes.get(form.get("code") ?? "")?.searchParams.get("scope");
    return this.tokens({ scope: asked ?? form.get("scope") ?? undefined });
  }

  /** A token response with a new access token and a refresh token. */
  tokens(fields: Record<string, unknown>): Response {
    const access = `access-${++this.#issued}`;
    const scope = typeof fields.scope === "string" ? fields.scope : "";
    this.#tokens.set(access, { scopes: scope.split(" ") });
    const usual = { access_token: access, token_type: "Bearer", refresh_token: `refresh-${this.#issued}` };
    return Response.json({ ...usual, expires_in: this.expiresIn, ...fields });
  }

  /** From now on the server refuses every token that was issued. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  /** Requests to a path of the authorization server. */
  to(path: string): SeenRequest[] {
    return this.requests.filter(({ url }) => url.origin === this.issuer && url.pathname === path);
  }

  readonly redirect: RedirectReceiver = {
    redirectUri: REDIRECT_URI,
    receive: async (url) => {
      this.logins.push(url);
      const code = `code-${++this.#issued}`;
      this.#codes.set(code, url);
      return new URLSearchParams(this.respond(url, code));
    },
  };

  readonly fetch: Fetch = async (url, { method, headers, body = "" }) => {
    const request: SeenRequest = { method, url, headers: new Headers(headers), body, form: new URLSearchParams(body) };
    const name = `${method} ${url.origin}${url.pathname}`;
    if (url.origin + url.pathname === RESOURCE) return this.answers.get(name)?.(request) ?? this.call(request);
    this.requests.push(request);
    return (await this.answers.get(name)?.(request)) ?? new Response(null, { status: 404 });
  };

  /** The MCP endpoint, behind its check of tokens. */
  async call(request: SeenRequest): Promise<Response> {
    this.calls.push(request);
    const { method, url, headers, body } = request;
    const token = this.#tokens.get(headers.get("authorization")?.replace(/^(Bearer|DPoP) /, "") ?? "");
    if (token === undefined) return refused(401, this.challenge);
    const needed = this.scopes.get(method === "POST" ? JSON.parse(body).method : method);
    if (needed !== undefined && !needed.split(" ").every((scope) => token.scopes.includes(scope))) {
      return refused(403, `Bearer error="insufficient_scope", scope="${needed}"`);
    }
    headers.set("host", "mcp.example.com");
    return this.#serve(new Request(url, { method, headers, ...(method === "POST" && { body }) }));
  }

  /** An authorization whose user agrees at once. */
  oauth(options: OAuthOptions = {}): OAuthAuthorization {
    return oauth({ redirect: this.redirect, clientName: "Test client", ...options });
  }

  connect(authorization: OAuthAuthorization = this.oauth(), options: Partial<ClientOptions> = {}): Promise<Client> {
    const target = { url: RESOURCE, authorization, fetch: this.fetch };
    return Client.connect(target, { name: "test-client", version: "1.0.0", ...options });
  }

  #at(path: string): string {
    return new URL(path, this.issuer).href;
  }
}

function refused(status: number, challenge: string): Response {
  return new Response(null, { status, headers: { "www-authenticate": challenge } });
}

/** The error that a call rejects with. */
export async function rejection(call: Promise<unknown>): Promise<Error & { code?: string; cause?: unknown }> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("Expected a rejection");
}
