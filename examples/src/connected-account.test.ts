/** Connecting an account elsewhere, in both eras: for the user who asked, in one browser, and for nobody else. */
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { loopbackRedirect } from "parley-mcp/oauth/node";
import type { Revision } from "parley-mcp/types";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { freePort } from "../testing/free-port.js";
import { ScriptedBrowser } from "../testing/scripted-browser.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const ERAS: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const PASSWORD = "correct horse battery staple";
const as = (username: string) => ({ username, password: PASSWORD });

async function startServer() {
  const env = { PORT: String(await freePort()), SHOP_PORT: String(await freePort()), PASSWORD };
  const program = examples.start("connected-account", { env });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { url: await program.url(), program };
}

interface UserOptions {
  readonly url: string;
  readonly name: string;
  readonly revision: Revision;
  /** Visits the page that the server asks to be opened. The user declines to open a second one. */
  readonly visit?: (page: string, browser: ScriptedBrowser) => Promise<"accept" | "decline">;
}

/** A user with a client and a browser, in which they are logged in. */
async function userOf({ url, name, revision, visit }: UserOptions): Promise<Client> {
  const browser = new ScriptedBrowser();
  const redirect = await loopbackRedirect({
    open: async (page) => {
      await browser.open(page);
      await browser.allow(as(name));
    },
  });
  let visits = 0;
  const client = await Client.connect(
    { url, authorization: oauth({ redirect }) },
    {
      name: "cli",
      version: "1.0.0",
      revisions: [revision],
      urlRetryMs: 20_000,
      elicitUrl: async (page) => {
        visits += 1;
        return { action: visit !== undefined && visits === 1 ? await visit(page.url, browser) : "decline" };
      },
    },
  );
  onTestFinished(async () => {
    await client.close();
    await redirect.close();
  });
  return client;
}

/** Goes through both logins. */
async function connect(page: string, browser: ScriptedBrowser): Promise<void> {
  await browser.open(page);
  await browser.allow(as("alice"));
  await browser.allow(as("reader-7"));
}

describe.each(ERAS)("connected-account, by %s", (revision) => {
  test("has its user connect an account, and keeps it from other users", async () => {
    const { url } = await startServer();
    let shown = "";
    const alice = await userOf({
      url,
      name: "alice",
      revision,
      visit: async (page, browser) => {
        expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/connect\?id=[\w-]+$/);
        await connect(page, browser);
        shown = browser.text;
        await browser.open(page);
        expect(browser.text).toContain("This page is not open any more");
        return "accept";
      },
    });

    const { content } = await alice.callTool("orders");
    expect(content).toEqual([{ type: "text", text: "dune, a lamp" }]);
    expect(shown).toContain("The account is connected");
    expect((await alice.callTool("orders")).content).toEqual(content);

    const bob = await userOf({ url, name: "bob", revision });
    await expect(bob.callTool("orders")).rejects.toThrow("Connect your bookshop account");
  });

  test("refuses a user to whom somebody else sent the page", async () => {
    const { url } = await startServer();
    const victim = new ScriptedBrowser();
    const alice = await userOf({
      url,
      name: "alice",
      revision,
      visit: async (page) => {
        await victim.open(page);
        await victim.allow(as("bob"));
        return "decline";
      },
    });

    await expect(alice.callTool("orders")).rejects.toThrow("Connect your bookshop account");
    expect(victim.status).toBe(403);
    expect(victim.text).toContain("Somebody else asked for this page");
  });
});

test("connected-account takes the shop's answer only in the browser that went there, and only once", async () => {
  const { url } = await startServer();
  const victim = new ScriptedBrowser();
  const attacker = new ScriptedBrowser();
  let atShop = "";
  const alice = await userOf({
    url,
    name: "alice",
    revision: "2026-07-28",
    visit: async (page) => {
      // Logs in as herself, and passes on the page of the shop.
      await attacker.open(page);
      await attacker.allow(as("alice"));
      atShop = attacker.url.href;
      await victim.open(atShop);
      await victim.allow(as("reader-8"));
      return "accept";
    },
  });

  await expect(alice.callTool("orders")).rejects.toThrow("Connect your bookshop account");
  expect(victim.url.pathname).toBe("/connect/account");
  expect(victim.status).toBe(400);
  expect(victim.text).toContain("This page is not open any more");
  await attacker.open(victim.url);
  expect(attacker.status).toBe(400);
});

test("connected-account tells a user who says no at the shop that nothing was connected", async () => {
  const { url, program } = await startServer();
  let shown = "";
  const alice = await userOf({
    url,
    name: "alice",
    revision: "2026-07-28",
    visit: async (page, browser) => {
      await browser.open(page);
      await browser.allow(as("alice"));
      await browser.submit(as("reader-7"));
      await browser.submit({ decision: "deny" });
      shown = browser.text;
      return "accept";
    },
  });

  await expect(alice.callTool("orders")).rejects.toThrow("Connect your bookshop account");
  expect(shown).toContain("The account was not connected");
  expect(await program.stop()).toBe(0);
});
