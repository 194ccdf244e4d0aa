import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { createNodeHandler } from "parley-mcp/node";
import { oauth } from "parley-mcp/oauth";
import { FileStore } from "parley-mcp/oauth/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { RawProgram, refreshingProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const REDIRECT_URI = "http://127.0.0.1:7777/callback";
const CLIENT_ID = "shared";
/** Clocks of clients that are this far ahead see their tokens expire. Access tokens last ten minutes. */
const EXPIRED_MS = 600_000;

/** A protected server with an authorization server of its own, and a folder that holds the login of one user. */
async function startLoggedIn() {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${issuer}/mcp`;
  const login = authorizationServer({
    issuer,
    resources: [url],
    clients: [{ clientId: CLIENT_ID, redirectUris: [REDIRECT_URI] }],
    autoApprove: { subject: "alice" },
  });
  const mcp = new McpServer({ name: "adder", version: "1.0.0" });
  mcp.tool("add", {}, () => "5");
  /** The grant types of the token requests that were answered with a token. */
  const granted: unknown[] = [];
  const record = async (request: Request) => {
    const form = request.clone();
    const response = await login.handle(request);
    if (new URL(request.url).pathname === "/token" && response?.ok) {
      granted.push((await form.formData()).get("grant_type"));
    }
    return response;
  };
  const authorization = protectedResource({ resource: url, issuer, verifier: login.verifyAccessToken });
  http.on("request", createNodeHandler(mcp, { path: "/mcp", authorization, routes: [record] }));

  const parent = await mkdtemp(join(tmpdir(), "parley-processes-"));
  const folder = join(parent, "credentials");
  const receive = async (page: URL) => {
    const { headers } = await fetch(page, { redirect: "manual" });
    return new URL(String(headers.get("location"))).searchParams;
  };
  const connect = async (aheadMs: number, redirect?: { redirectUri: string; receive: typeof receive }) => {
    const store = new FileStore({ folder });
    const user = oauth({
      store,
      redirect,
      client: { clientId: CLIENT_ID },
      dpop: false,
      now: () => Date.now() + aheadMs,
    });
    return Client.connect({ url, authorization: user }, { name: "parent", version: "1.0.0" });
  };
  await (await connect(0, { redirectUri: REDIRECT_URI, receive })).close();

  return {
    granted,
    /** A client in this process that cannot log in. */
    connect,
    /** A client in a process of its own that cannot log in. */
    start: (settings: { calls: number; dies?: boolean }) =>
      new RawProgram(refreshingProgram({ url, folder, clientId: CLIENT_ID, aheadMs: EXPIRED_MS, ...settings })),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      http.close();
      await rm(parent, { recursive: true, force: true });
    },
  };
}

verifies(
  ["client-auth:refresh:across-processes", "client-auth:refresh:one-flight"],
  "two processes that share a folder make 200 calls at the expiry of their token, and one refresh",
  { deadlineMs: 40_000 },
  async () => {
    await using server = await startLoggedIn();
    await using one = server.start({ calls: 100 });
    await using other = server.start({ calls: 100 });
    expect([await one.lines.next(), await other.lines.next()]).toEqual(["ready", "ready"]);
    one.lines.send("expire\n");
    other.lines.send("expire\n");
    const answers = [await one.lines.next(), await other.lines.next()];

    expect(answers).toEqual(["100 answered", "100 answered"]);
    expect(server.granted).toEqual(["authorization_code", "refresh_token"]);
  },
);

verifies(
  "client-auth:refresh:killed",
  "a process that is killed between the answer to its refresh and the store costs the next one no login",
  // The lock of a process that was killed is taken over after ten seconds.
  { deadlineMs: 60_000 },
  async () => {
    await using server = await startLoggedIn();
    await using killed = server.start({ calls: 1, dies: true });
    await killed.lines.next();
    killed.lines.send("expire\n");
    const [, signal] = await killed.exited;
    expect(signal).toBe("SIGKILL");
    expect(server.granted).toEqual(["authorization_code", "refresh_token"]);
    const client = await server.connect(EXPIRED_MS);
    const result = await client.callTool("add");
    await client.close();

    expect(result.content).toEqual([{ type: "text", text: "5" }]);
    expect(server.granted).toEqual(["authorization_code", "refresh_token", "refresh_token"]);
  },
);
