/** Two processes share the credentials of one user. One is killed while it refreshes a token. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { freePort } from "../testing/free-port.js";
import { ScriptedBrowser } from "../testing/scripted-browser.js";
import { createLibrary, LIBRARY_SCOPES } from "./library-server.js";

const ALICE = { username: "alice", password: "correct horse battery staple" };
const AUTHORIZATION_PAGE = /open this page:\n(\S+)\n/;
const ANSWER = "the user alice, with books:read\n";
/** Clients refresh a token half a minute before it expires: these at once, in every process. */
const ACCESS_TOKEN_MS = 5_000;

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

type Handle = (request: Request) => Promise<Response | undefined>;

/** A library whose token endpoint a test can hold, with a user who is logged in. */
async function startLibrary() {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const resource = `${issuer}/mcp`;
  const login = authorizationServer({
    issuer,
    resources: [{ resource, scopes: Object.values(LIBRARY_SCOPES) }],
    users: [{ subject: ALICE.username, passwordHash: await hashPassword(ALICE.password) }],
    accessTokenMs: ACCESS_TOKEN_MS,
  });
  /** Takes requests for a token while it is there. */
  let hold: Handle | undefined;
  const host = await serveHttp(createLibrary(), {
    port,
    authorization: protectedResource({
      resource,
      issuer,
      verifier: login.verifyAccessToken,
      scopesSupported: [LIBRARY_SCOPES.read],
    }),
    routes: [
      async (request) => {
        const held = new URL(request.url).pathname === "/token" ? hold : undefined;
        return (held ?? login.handle)(request);
      },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), "parley-examples-"));
  onTestFinished(async () => {
    await host.close();
    rmSync(folder, { recursive: true });
  });
  const runClient = () =>
    examples.start("login-client", { args: [host.url], env: { CREDENTIALS: join(folder, "credentials") } });

  await using first = runClient();
  const browser = new ScriptedBrowser();
  await browser.open(await first.printed(AUTHORIZATION_PAGE));
  await browser.allow(ALICE);
  expect(await first.exited()).toBe(0);

  return {
    runClient,
    /** Starts a client and kills it while it waits for a token, once `isTime`. The response never arrives. */
    killDuringRefresh: async (isTime: (request: Request) => Promise<boolean>): Promise<void> => {
      const waits = new Promise<void>((resolve) => {
        hold = async (request) => {
          if (!(await isTime(request.clone()))) return login.handle(request);
          resolve();
          return new Promise<Response>((_resolve, reject) => request.signal.addEventListener("abort", reject));
        };
      });
      // It is killed where this block ends.
      await using killed = runClient();
      await waits;
      hold = undefined;
      expect(killed.output).toBe("");
    },
    login,
  };
}

test("a client that is killed before its refresh token is replaced costs the next one no login", async () => {
  const { runClient, killDuringRefresh } = await startLibrary();
  await killDuringRefresh(async () => true);

  // It waits for the lock of the first one until that counts as left behind.
  await using next = runClient();
  expect(await next.exited()).toBe(0);
  expect(next.output).toBe(ANSWER);
});

test("a client that is killed after its refresh token was replaced costs the next one no login", async () => {
  const { runClient, killDuringRefresh, login } = await startLibrary();
  // A refusal that asks for a nonce replaces nothing.
  await killDuringRefresh(async (request) => (await login.handle(request))?.status === 200);

  await using next = runClient();
  expect(await next.exited()).toBe(0);
  expect(next.output).toBe(ANSWER);
});

test("two clients that refresh at the same time both get in, and the next one too", async () => {
  const { runClient } = await startLibrary();
  await using one = runClient();
  await using other = runClient();
  expect(await Promise.all([one.exited(), other.exited()])).toEqual([0, 0]);
  await using next = runClient();
  expect(await next.exited()).toBe(0);
  expect([one.output, other.output, next.output]).toEqual([ANSWER, ANSWER, ANSWER]);
});
