/** The program in front of three replicas, and its page in a browser. */
import { fileURLToPath } from "node:url";
import { Client } from "parley-mcp/client";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import type { RunningProgram } from "../testing/running-program.js";

declare module "vitest" {
  interface ProvidedContext {
    browserPath: string | undefined;
    redisPath: string | undefined;
    haproxyPath: string | undefined;
  }
}

const executablePath = inject("browserPath");
const examples = new CompiledExamples();
let program: RunningProgram;
let url: string;
let pageUrl: string;

beforeAll(async () => {
  program = examples.start("replicas", {
    env: {
      PATH: process.env.PATH ?? "",
      REDIS_SERVER_PATH: inject("redisPath") ?? "",
      HAPROXY_PATH: inject("haproxyPath") ?? "",
      HAPROXY_CONFIGURATION: fileURLToPath(new URL("../replicas/haproxy.cfg", import.meta.url)),
    },
  });
  url = await program.url();
  pageUrl = await program.printed(/watch\s+(http:\S+)/);
});
afterAll(async () => {
  expect(await program?.stop()).toBe(0);
  examples[Symbol.dispose]();
});

async function callWho(client: Client): Promise<string> {
  const { content } = await client.callTool("who");
  return content[0]?.type === "text" ? content[0].text : "";
}

const state = async () => (await fetch(new URL("state", pageUrl))).json() as Promise<{ replicas: { pid?: number }[] }>;

test.each(["2026-07-28", "2025-11-25"] as const)(
  "calls of %s over one connection reach all replicas",
  async (revision) => {
    await using client = await Client.connect(url, { name: "test", version: "1.0.0", revision });
    const names = new Set<string>();
    for (let count = 0; count < 9; count += 1) names.add(await callWho(client));
    expect([...names].sort()).toEqual(["a", "b", "c"]);
  },
);

test.each(["2026-07-28", "2025-11-25"] as const)(
  "a question of %s is answered at another replica",
  async (revision) => {
    const elicit = () => ({ action: "accept" as const, content: { name: "Ann" } });
    await using client = await Client.connect(url, { name: "test", version: "1.0.0", revision, elicit });
    const { content } = await client.callTool("ask");
    expect(content).toMatchObject([{ text: expect.stringMatching(/^Hello Ann, from replica [abc]$/) }]);
  },
);

test("a session goes on while one of its replicas is killed and started again", async () => {
  await using client = await Client.connect(url, { name: "test", version: "1.0.0", revision: "2025-11-25" });
  expect((await fetch(new URL("kill/b", pageUrl), { method: "POST" })).status).toBe(204);
  expect((await state()).replicas[1]).not.toHaveProperty("pid");
  const names = new Set<string>();
  for (let count = 0; count < 9; count += 1) names.add(await callWho(client));
  expect([...names].sort()).toEqual(["a", "c"]);

  expect((await fetch(new URL("start/b", pageUrl), { method: "POST" })).status).toBe(204);
  await expect.poll(() => callWho(client), { timeout: 10_000 }).toBe("b");
});

test("pages of other origins cannot press the buttons", async () => {
  const headers = { origin: "https://evil.example" };
  expect((await fetch(new URL("kill/a", pageUrl), { method: "POST", headers })).status).toBe(403);
  expect((await fetch(new URL("kill/z", pageUrl), { method: "POST" })).status).toBe(404);
});

describe.skipIf(executablePath === undefined)("in a browser", () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
    page = await browser.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(pageUrl, { waitUntil: "domcontentloaded" });
  });
  afterAll(() => browser?.close());

  test("the page shows who served what, and kills and starts a replica", async () => {
    for (const name of ["a", "b", "c"]) await page.waitForSelector(`#calls td.${name}`);
    await page.click("#button-c");
    await page.waitForSelector("#replicas li.c.down");
    await page.click("#button-c");
    await page.waitForSelector("#replicas li.c:not(.down)");
    expect(complaints).toEqual([]);
  });
});
