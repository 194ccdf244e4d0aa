/**
 * A protected MCP server and its authorization server on one loopback socket. Both behave well unless a test replaces one of
 * their answers. Clients use the HTTP client of the platform.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "parley-mcp/client";
import { type OAuthAuthorization, type OAuthOptions, oauth } from "parley-mcp/oauth";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { markScripted } from "../wiretap/wiretap.js";

type Answer = (request: Request) => Response | Promise<Response>;

export class ProtectedSocket implements AsyncDisposable {
  /** Methods and paths, in order. */
  readonly log: string[] = [];
  /** Bodies and headers of all requests, as text. */
  readonly received: string[] = [];
  /** Authorization URLs that a user was shown. */
  readonly logins: URL[] = [];
  /** Answers by method and path. */
  readonly answers = new Map<string, Answer>();
  /** How the browser comes back from a login. */
  respond: (login: URL) => Record<string, string> = (login) => ({
    code: "code-1",
    state: String(login.searchParams.get("state")),
    iss: this.origin,
  });
  /** Tokens that the MCP endpoint accepts. */
  accepted: RegExp = /^Bearer access-/;
  readonly #server: Server;
  readonly #mcp = new McpServer({ name: "protected", version: "1.0.0" });
  #issued = 0;

  private constructor() {
    this.#mcp.tool("add", {}, () => "5");
    this.#server = createServer((request, response) => void this.#serve(request, response));
    markScripted(this.#server);
  }

  static async start(): Promise<ProtectedSocket> {
    const socket = new ProtectedSocket();
    await new Promise<void>((resolve) => socket.#server.listen(0, "127.0.0.1", resolve));
    socket.describe({});
    socket.describeResource({});
    const serve = createFetchHandler(socket.#mcp);
    socket.answers.set("POST /mcp", (request) => socket.#check(request) ?? serve(request));
    socket.answers.set("POST /register", () => Response.json({ client_id: `client-of-${socket.origin}` }));
    socket.answers.set("POST /token", () => socket.tokens());
    return socket;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Metadata of the authorization server, with these fields in the place of the usual ones. */
  describe(fields: Record<string, unknown>): void {
    const metadata = {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...fields,
    };
    this.answers.set("GET /.well-known/oauth-authorization-server", () => Response.json(metadata));
  }

  /** Metadata of the resource, with these fields in the place of the usual ones. */
  describeResource(fields: Record<string, unknown>): void {
    const metadata = { resource: `${this.origin}/mcp`, authorization_servers: [this.origin], ...fields };
    this.answers.set("GET /.well-known/oauth-protected-resource/mcp", () => Response.json(metadata));
  }

  tokens(): Response {
    const number = ++this.#issued;
    const tokens = { access_token: `access-${number}`, refresh_token: `refresh-${number}`, token_type: "Bearer" };
    return Response.json({ ...tokens, expires_in: 3_600 });
  }

  count(name: string): number {
    return this.log.filter((entry) => entry === name).length;
  }

  /** An authorization whose user agrees at once. */
  oauth(options: OAuthOptions = {}): OAuthAuthorization {
    const receive = async (login: URL) => {
      this.logins.push(login);
      return new URLSearchParams(this.respond(login));
    };
    return oauth({ redirect: { redirectUri: "http://127.0.0.1:7777/callback", receive }, ...options });
  }

  connect(authorization: OAuthAuthorization = this.oauth()): Promise<Client> {
    const target = { url: `${this.origin}/mcp`, authorization };
    return Client.connect(target, { name: "test-client", version: "1.0.0" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #check(request: Request): Response | undefined {
    if (this.accepted.test(request.headers.get("authorization") ?? "")) return undefined;
    return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
    const { method = "GET", url = "/" } = incoming;
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    this.received.push(`${body} ${JSON.stringify(headers)}`);
    const address = new URL(url, this.origin);
    const name = `${method} ${address.pathname}`;
    this.log.push(name);
    const request = new Request(address, { method, headers, ...(method === "POST" && { body }) });
    const answer = (await this.answers.get(name)?.(request)) ?? new Response(null, { status: 404 });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  }
}
