/** Logins in a real browser: the pages, and the way back to the client that asked. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { loopbackRedirect } from "parley-mcp/oauth/node";
import puppeteer, { type Browser, type HTTPRequest, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { freePort } from "../testing/free-port.js";
import type { RunningProgram } from "../testing/running-program.js";
import { startRepositoriesServer } from "./upstream-login/repositories-server.js";

const PASSWORD = "correct horse battery staple";
const AUTHORIZATION_PAGE = /To go on, open this page:\n(\S+)\n/;

const executablePath = inject("browserPath");
const examples = new CompiledExamples();
let browser: Browser;
afterAll(() => examples[Symbol.dispose]());

describe.skipIf(executablePath === undefined)("in a browser", () => {
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
  });
  afterAll(() => browser?.close());

  test("a user logs in and allows, later allows more, and each time is back in the client", async () => {
    const { runClient } = await startLibrary();
    await using first = runClient();
    const { page, complaints } = await openPage(await first.printed(AUTHORIZATION_PAGE));
    expect(await textOf(page)).toContain("Log in to continue to Library command line");
    await logIn(page, "wrong");
    expect(await textOf(page)).not.toContain("You are logged in");
    await logIn(page, PASSWORD);
    expect(await textOf(page)).toContain("You are logged in as alice.");
    expect(await textOf(page)).toContain("books:read");
    expect(await textOf(page)).not.toContain("books:borrow");
    await press(page, "Allow");
    expect(await textOf(page)).toContain("The login has ended");
    expect(await first.exited()).toBe(0);
    expect(first.output).toMatch(/\nthe user alice, with books:read\n$/);

    await using more = runClient("--tool", "borrow", "--args", '{"book":"momo"}');
    await page.goto(await more.printed(AUTHORIZATION_PAGE));
    expect(await textOf(page)).toContain("books:borrow");
    await press(page, "Allow");
    expect(await more.exited()).toBe(0);
    expect(more.output).toMatch(/\nalice has borrowed "momo"\n$/);
    expect(complaints).toEqual([]);
  });

  test("a user who denies is back in the client, which says so", async () => {
    const { runClient } = await startLibrary();
    await using client = runClient();
    const { page } = await openPage(await client.printed(AUTHORIZATION_PAGE));
    await logIn(page, PASSWORD);
    await press(page, "Deny");
    expect(await textOf(page)).toContain("The login has ended");
    expect(await client.exited()).toBe(1);
    expect(client.output).toContain("access_denied");
  });

  test("a user who logs in with GitHub is back in the client", async () => {
    const server = await startRepositoriesServer({ port: 0, clientId: "c", clientSecret: "s", fetch: scriptedGithub });
    onTestFinished(() => server.close());
    let complaints: string[] = [];
    const redirect = await loopbackRedirect({
      open: async (url) => {
        const opened = await openPage(url, answerForGithub);
        complaints = opened.complaints;
        await press(opened.page, "Allow and log in with GitHub");
      },
    });
    onTestFinished(() => redirect.close());
    const authorization = oauth({ redirect, clientName: "example" });

    await using client = await Client.connect({ url: server.url, authorization }, { name: "t", version: "1.0.0" });
    const { content } = await client.callTool("repositories");
    expect(content).toEqual([{ type: "text", text: "octocat/hello" }]);
    expect(complaints).toEqual([]);
  });
});

async function startLibrary(): Promise<{ runClient(...args: string[]): RunningProgram }> {
  const folder = mkdtempSync(join(tmpdir(), "parley-examples-"));
  const server = examples.start("protected-server", { env: { PORT: String(await freePort()), PASSWORD } });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const url = await server.url();
  const env = { CREDENTIALS: join(folder, "credentials") };
  return { runClient: (...args) => examples.start("login-client", { args: [...args, url], env }) };
}

/** @param answer answers requests in the place of other servers; undefined for those that go their way */
async function openPage(
  url: URL | string,
  answer?: (url: URL) => { readonly status: number; readonly headers: Record<string, string> } | undefined,
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  // Its cookies are those of this test alone.
  const context = await browser.createBrowserContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (answer) {
    await page.setRequestInterception(true);
    page.on("request", (request: HTTPRequest) => {
      const given = answer(new URL(request.url()));
      void (given ? request.respond(given) : request.continue());
    });
  }
  await page.goto(String(url));
  return { page, complaints };
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.type("input[name=username]", "alice");
  await page.type("input[name=password]", password);
  await press(page, "Log in");
}

async function press(page: Page, label: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(`::-p-xpath(//button[text()="${label}"])`)]);
}

async function textOf(page: Page): Promise<string> {
  return String(await page.$eval("body", (element) => element.textContent));
}

/** GitHub's page, for a user who has approved the server before. */
function answerForGithub(url: URL): { readonly status: number; readonly headers: Record<string, string> } | undefined {
  if (url.origin !== "https://github.com") return undefined;
  const back = new URL(String(url.searchParams.get("redirect_uri")));
  back.searchParams.set("code", "c-1");
  back.searchParams.set("state", String(url.searchParams.get("state")));
  return { status: 302, headers: { location: back.href } };
}

/** What GitHub tells the server. */
async function scriptedGithub(url: URL): Promise<Response> {
  switch (url.pathname) {
    case "/login/oauth/access_token":
      return Response.json({ access_token: "gho_1", token_type: "bearer", scope: "read:user" });
    case "/user":
      return Response.json({ id: 1, login: "octocat" });
    case "/user/repos":
      return Response.json([{ full_name: "octocat/hello" }]);
    default:
      return Response.json([]);
  }
}
