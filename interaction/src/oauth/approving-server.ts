/**
 * A protected server with an authorization server of its own on one loopback socket, whose user approves everything, and a
 * folder for the credentials of its clients.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { createNodeHandler } from "parley-mcp/node";
import { type OAuthOptions, oauth } from "parley-mcp/oauth";
import { FileCredentialStore } from "parley-mcp/oauth/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";

const REDIRECT_URI = "http://127.0.0.1:7777/callback";

export class ApprovingServer implements AsyncDisposable {
  readonly clientId = "shared";
  /** The grant types of the token requests that were answered with a token. */
  readonly granted: unknown[] = [];
  readonly url: string;
  readonly folder: string;
  readonly #http: Server;
  readonly #parent: string;

  private constructor(http: Server, parent: string) {
    this.#http = http;
    this.#parent = parent;
    this.folder = join(parent, "credentials");
    const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    this.url = `${issuer}/mcp`;
    const login = authorizationServer({
      issuer,
      resources: [this.url],
      clients: [{ clientId: this.clientId, redirectUris: [REDIRECT_URI] }],
      autoApprove: { subject: "alice" },
    });
    const record = async (request: Request) => {
      const form = request.clone();
      const response = await login.handle(request);
      if (new URL(request.url).pathname === "/token" && response?.ok) {
        this.granted.push((await form.formData()).get("grant_type"));
      }
      return response;
    };
    const mcp = new McpServer({ name: "adder", version: "1.0.0" });
    mcp.tool("add", {}, () => "5");
    const authorization = protectedResource({ resource: this.url, issuer, verifier: login.verifyAccessToken });
    http.on("request", createNodeHandler(mcp, { path: "/mcp", authorization, routes: [record] }));
  }

  static async start(): Promise<ApprovingServer> {
    const http = createServer();
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    return new ApprovingServer(http, await mkdtemp(join(tmpdir(), "parley-approving-")));
  }

  /** A client that shares the folder. */
  connect(options: OAuthOptions): Promise<Client> {
    const store = new FileCredentialStore({ folder: this.folder });
    const authorization = oauth({ store, client: { clientId: this.clientId }, ...options });
    return Client.connect({ url: this.url, authorization }, { name: "client", version: "1.0.0" });
  }

  /** A client whose user logs in. */
  logIn(options: OAuthOptions = {}): Promise<Client> {
    const receive = async (page: URL) => {
      const { headers } = await fetch(page, { redirect: "manual" });
      return new URL(String(headers.get("location"))).searchParams;
    };
    return this.connect({ redirect: { redirectUri: REDIRECT_URI, receive }, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await rm(this.#parent, { recursive: true, force: true });
  }
}
