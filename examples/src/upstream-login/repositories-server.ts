/** An MCP server whose users log in with GitHub. Its tool calls GitHub as the user who is logged in. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createNodeHandler } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { type AllowRule, authorizationServer, github, upstreamLogin } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";

export interface RepositoriesServerOptions {
  readonly port: number;
  /** Of the OAuth application at GitHub. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly allow?: AllowRule;
  /** Calls GitHub. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
}

export async function startRepositoriesServer({
  port,
  clientId,
  clientSecret,
  allow,
  fetch = globalThis.fetch,
}: RepositoriesServerOptions) {
  const http = createServer();
  // The port is part of the issuer, so it must be known before anything else.
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const resource = `${issuer}/mcp`;

  const server = new McpServer({ name: "repositories", version: "1.0.0" });
  server.tool("repositories", { description: "Names your repositories at GitHub" }, async (_args, { auth, signal }) => {
    const token = await auth?.upstream?.();
    if (!token) return "GitHub has ended the login; log in again.";
    const headers = { authorization: `Bearer ${token.accessToken}`, "user-agent": "parley-example" };
    const response = await fetch(new URL("https://api.github.com/user/repos?per_page=100"), { headers, signal });
    if (!response.ok) return `GitHub answered with status ${response.status}.`;
    const repositories = (await response.json()) as readonly { readonly full_name: string }[];
    return repositories.map(({ full_name }) => full_name).join("\n");
  });

  const login = authorizationServer({
    issuer,
    resources: [resource],
    login: upstreamLogin({ provider: github, clientId, clientSecret, allow, fetch }),
  });
  const handler = createNodeHandler(server, {
    routes: [login.handle],
    authorization: protectedResource({ resource, issuer, verifier: login.verifyAccessToken }),
  });
  http.on("request", handler);
  return {
    url: resource,
    callbackUrl: `${issuer}/login/callback/${github.name}`,
    async close(): Promise<void> {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
