/** A protected MCP server whose authorization server lets somebody else log users in, with a browser and a client of it. */
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { protectedResource } from "parley-mcp/oauth/resource";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
  type LoginProvider,
} from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler, type FetchHandler } from "parley-mcp/web";
import { LoginBrowser, type Page, type Site } from "./login-browser.js";

export const ISSUER = "https://mcp.example.com";
export const RESOURCE = `${ISSUER}/mcp`;
export const REDIRECT_URI = "http://127.0.0.1:7777/callback";
const CLIENT_ID = "https://app.example.com/client.json";

/** The metadata document of the client. */
const CLIENT = {
  client_id: CLIENT_ID,
  client_name: "Notes App",
  redirect_uris: [REDIRECT_URI],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};

export class DelegatingServer implements AsyncDisposable {
  readonly mcp: McpServer = new McpServer({
    name: "notes",
    version: "1.0.0",
    onError: (error) => this.errors.push(error),
  });
  readonly login: AuthorizationServer;
  readonly handler: FetchHandler;
  readonly errors: unknown[] = [];
  /** Every response that left the server, for a look at what they hold. */
  readonly responses: string[] = [];
  readonly #sites: Readonly<Record<string, Site>>;

  constructor(
    login: LoginProvider,
    sites: Readonly<Record<string, Site>> = {},
    options: Partial<AuthorizationServerOptions> = {},
  ) {
    this.login = authorizationServer({
      issuer: ISSUER,
      resources: [RESOURCE],
      login,
      fetch: async () => Response.json(CLIENT),
      onError: (error) => this.errors.push(error),
      ...options,
    });
    const { issuer, handle, verifyAccessToken: verifier } = this.login;
    const authorization = protectedResource({ resource: RESOURCE, issuer, verifier, cacheMs: 1, now: options.now });
    this.handler = createFetchHandler(this.mcp, { authorization, routes: [handle] });
    this.#sites = { ...sites, [ISSUER]: (request) => this.#serve(request) };
  }

  browser(): LoginBrowser {
    return new LoginBrowser(this.#sites, REDIRECT_URI);
  }

  /** A client whose user goes through the pages as `logIn` does. */
  connect(logIn: (browser: LoginBrowser, page: Page) => Promise<Page>): Promise<Client> {
    const browser = this.browser();
    const receive = async (url: URL) => (await logIn(browser, await browser.open(url))).url.searchParams;
    const authorization = oauth({ redirect: { redirectUri: REDIRECT_URI, receive }, clientMetadataUrl: CLIENT_ID });
    return Client.connect(
      { url: RESOURCE, authorization, fetch: (url, init) => this.#serve(new Request(url, init)) },
      { name: "notes-app", version: "1.0.0" },
    );
  }

  /** The authorization URL of a client that is driven by hand. */
  authorizeUrl(parameters: Readonly<Record<string, string>> = {}): string {
    const query = new URLSearchParams({
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: REDIRECT_URI,
      // The digest of 43 times "v".
      code_challenge: "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM",
      code_challenge_method: "S256",
      resource: RESOURCE,
      state: "of the client",
      ...parameters,
    });
    return `${ISSUER}/authorize?${query}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handler.close();
  }

  async #serve(request: Request): Promise<Response> {
    const response = await this.handler(request);
    const headers = JSON.stringify([...response.headers]);
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    this.responses.push(`${headers} ${await response.clone().text()}`);
    return response;
  }
}
