/** The programs of authorization, each in a process of its own: who is let in, who logs in, and what tokens permit. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { hashPassword } from "parley-mcp/oauth/server";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { freePort } from "../testing/free-port.js";
import type { RunningProgram } from "../testing/running-program.js";
import { ScriptedBrowser } from "../testing/scripted-browser.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const PASSWORD = "correct horse battery staple";
const PASSWORD_HASH = await hashPassword(PASSWORD);
const SERVICE_SECRET = "the secret of the service";
const ALICE = { username: "alice", password: PASSWORD };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-examples-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Plays the user of a client: opens each page that it prints, and allows what it asks for. */
async function logIn(client: RunningProgram, browser: ScriptedBrowser, times = 1): Promise<void> {
  for (let page = 0; page < times; page += 1) {
    const before = `(?:To go on, open this page:\\n\\S+\\s+){${page}}`;
    await browser.open(await client.printed(new RegExp(`^${before}To go on, open this page:\\n(\\S+)\\n`)));
    await browser.allow(ALICE);
    expect(browser.text).toContain("The login has ended");
  }
}

test("protected-server logs in its user, and asks for a scope when a tool needs it", async () => {
  const env = { PORT: String(await freePort()), PASSWORD };
  await using server = examples.start("protected-server", { env });
  const url = await server.url();
  const browser = new ScriptedBrowser();
  const client = (...args: string[]) =>
    examples.start("login-client", { args: [...args, url], env: { CREDENTIALS: credentials } });
  const credentials = join(temporaryFolder(), "credentials");

  await expect(Client.connect(url, { name: "stranger", version: "1.0.0" })).rejects.toMatchObject({ status: 401 });

  await using first = client();
  await logIn(first, browser);
  expect(await first.exited()).toBe(0);
  expect(first.output).toMatch(/\nthe user alice, with books:read\n$/);

  await using again = client("--tool", "search", "--args", '{"text":"mo"}');
  expect(await again.exited()).toBe(0);
  expect(again.output).toBe('{"books":["momo"]}\n');

  await using more = client("--tool", "borrow", "--args", '{"book":"momo"}');
  await logIn(more, browser);
  expect(await more.exited()).toBe(0);
  expect(more.output).toMatch(/\nalice has borrowed "momo"\n$/);

  await using out = client("--log-out");
  expect(await out.exited()).toBe(0);
  await using anew = client();
  await anew.printed(/open this page:\n(\S+)\n/);

  expect(await server.stop()).toBe(0);
});

test("protected-server makes up a password and prints it, and login-client tells that its user said no", async () => {
  await using server = examples.start("protected-server", { env: { PORT: String(await freePort()) } });
  const url = await server.url();
  const password = await server.printed(/password\s+(\S+)\n/);
  const env = { CREDENTIALS: join(temporaryFolder(), "credentials") };
  const browser = new ScriptedBrowser();

  await using client = examples.start("login-client", { args: [url], env });
  await browser.open(await client.printed(/open this page:\n(\S+)\n/));
  await browser.submit({ username: "alice", password });
  await browser.submit({ decision: "deny" });

  expect(await client.exited()).toBe(1);
  expect(client.output).toContain("access_denied");
});

test("resource-server takes the tokens of an authorization server elsewhere, for users and for services", async () => {
  const [port, loginPort] = [await freePort(), await freePort()];
  const ISSUER = `http://127.0.0.1:${loginPort}`;
  const url = `http://127.0.0.1:${port}/mcp`;
  const folder = temporaryFolder();
  const store = join(folder, "authorization.jsonl");
  const login = { PORT: String(loginPort), PASSWORD_HASH, SERVICE_SECRET, STORE: store, RESOURCE: url };

  await using early = examples.start("resource-server", { env: { PORT: String(port), ISSUER } });
  expect(await early.exited()).toBe(1);
  expect(early.output).toContain(`issuer "${ISSUER}": its metadata cannot be read`);

  await using authorizationServer = examples.start("authorization-server", { env: login });
  await authorizationServer.printed(/issues tokens as/);
  await using server = examples.start("resource-server", { env: { PORT: String(port), ISSUER } });
  expect(await server.url()).toBe(url);

  const service = (env: Record<string, string>) => examples.start("service-client", { args: [url], env });
  await using good = service({ ISSUER, SERVICE_SECRET });
  expect(await good.exited()).toBe(0);
  expect(good.output).toContain("whoami: the service inventory-service, with books:read\n");
  expect(good.output).toContain('search: {"books":["emma","momo"]}\n');
  expect(good.output).toContain(`borrow: refused, ${url} still wants the scopes "books:read books:borrow"`);
  await using bad = service({ ISSUER, SERVICE_SECRET: "guessed" });
  expect(await bad.exited()).toBe(1);
  expect(bad.output).toContain("invalid_client");
  expect(bad.output).not.toContain("guessed");
  await using elsewhere = service({ ISSUER: "https://login.example.com", SERVICE_SECRET });
  expect(await elsewhere.exited()).toBe(1);
  expect(elsewhere.output).toContain("is registered with https://login.example.com");

  const env = { CREDENTIALS: join(folder, "credentials") };
  const browser = new ScriptedBrowser();
  await using user = examples.start("login-client", { args: [url], env });
  await logIn(user, browser);
  expect(await user.exited()).toBe(0);
  expect(user.output).toMatch(/\nthe user alice, with books:read\n$/);

  // The keys and the grant outlive the process that made them.
  expect(await authorizationServer.stop()).toBe(0);
  expect(statSync(store).mode & 0o077).toBe(0);
  await using restarted = examples.start("authorization-server", { env: login });
  await restarted.printed(/issues tokens as/);
  await using later = examples.start("login-client", { args: [url], env });
  expect(await later.exited()).toBe(0);
  expect(later.output).toBe("the user alice, with books:read\n");
});
