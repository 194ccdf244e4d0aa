/** The status page in a real browser, beside the server that it is about. */
import { get } from "node:http";
import { Client } from "parley-mcp/client";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { serveDesk } from "./desk/serve-desk.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The browser that the global set-up found. */
    browserPath: string | undefined;
  }
}

const executablePath = inject("browserPath");
let browser: Browser;
let desk: Awaited<ReturnType<typeof serveDesk>>;

beforeAll(async () => {
  desk = await serveDesk(0);
});
afterAll(() => desk?.close());

describe.skipIf(executablePath === undefined)("in a browser", () => {
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
  });
  afterAll(() => browser?.close());

  test("it shows what the server offers and how to connect", async () => {
    await using page = await openPage();
    expect(await textOf(page.page, "h1")).toBe("Desk");
    expect(await textOf(page.page, ".address")).toBe(desk.url);
    const all = await textOf(page.page, "main");
    for (const shown of ["focus_timer", "desk://clock", "desk://notes/{id}", "weekly_review"])
      expect(all).toContain(shown);
    for (const client of ["Claude Code", "Claude Desktop", "VS Code", "Cursor"]) expect(all).toContain(client);
    expect(all).toContain("It is an app, see above: hosts with MCP Apps show its page");
    expect(all).toContain("It can run as a task: call it by startTool");
    // Node 20 does not parse it.
    expect(all).not.toContain("await using");
    expect(page.complaints).toEqual([]);
  });

  test.each(["2026-07-28", "2025-11-25"] as const)(
    "it shows requests of %s while and after they are served",
    async (revision) => {
      await using page = await openPage();
      await using client = await Client.connect(desk.url, { name: "test", version: "1.0.0", revisions: [revision] });
      const controller = new AbortController();
      const waiting = client.callTool("focus_timer", { seconds: 600 }, { signal: controller.signal });
      const aborted = expect(waiting).rejects.toThrow();
      await page.shows("#open", "tools/call focus_timer");
      controller.abort();
      await aborted;
      await page.page.waitForFunction("document.querySelectorAll('#open li').length === 0");

      await client.callTool("world_clock");
      const era = revision === "2026-07-28" ? "modern" : "legacy";
      const row = await page.shows("#rows tr", `${era}tools/call world_clock`);
      expect(row).toMatch(/tools\/call world_clock\s+200\s+[\d.]+ ms/);
      expect(page.complaints).toEqual([]);
    },
  );

  test("what clients send is text on the page, whatever it is", async () => {
    const nasty = "<img src=x onerror=document.title='owned'></script><script>document.title='owned'</script>";
    await using client = await Client.connect(desk.url, { name: "test", version: "1.0.0" });
    await client.callTool("add_note", { title: nasty.slice(0, 120), text: nasty });
    await using page = await openPage();
    await expect(client.callTool(nasty)).rejects.toThrow("Unknown tool");

    expect(await page.shows("#rows tr", "<img src=x")).toContain("tools/call <img src=x");
    expect(await textOf(page.page, "main")).toContain(nasty.slice(0, 120));
    expect(await page.page.title()).toBe("Desk: an MCP server");
    expect(await page.page.$("img")).toBeNull();
    expect(page.complaints).toEqual([]);
  });

  test("it reads well without JavaScript", async () => {
    await using page = await openPage({ javaScript: false });
    expect(await textOf(page.page, "main")).toContain("focus_timer");
    expect(await textOf(page.page, "#state")).toBe("Shown here as they come, in a browser with JavaScript");
  });

  test.each([360, 768, 1400])("it fits a window of %i pixels", async (width) => {
    await using page = await openPage({ width });
    expect(await page.page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });
});

test("the page and its events are for this machine alone, and say so in their headers", async () => {
  const { headers } = await fetch(new URL("/", desk.url));
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-/,
  );
  for (const path of ["/", "/events"]) {
    expect(await statusOf(path, { host: "evil.example" })).toBe(403);
    expect(await statusOf(path, { origin: "https://evil.example" })).toBe(403);
  }
  expect(await statusOf("/nowhere", {})).toBe(404);
  expect((await fetch(new URL("/", desk.url), { method: "POST" })).status).toBe(405);
});

test("no more than 16 pages watch at a time", async () => {
  const other = await serveDesk(0);
  const events = new URL("/events", other.url);
  for (let count = 1; count <= 16; count += 1) expect((await fetch(events)).status).toBe(200);
  expect((await fetch(events)).status).toBe(503);
  await other.close();
});

interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** What the browser complained about: violations of the policy, script errors. */
  readonly complaints: string[];
  /** Waits for an element with that text in it, and returns all of its text. */
  shows(selector: string, text: string): Promise<string>;
}

async function openPage({ javaScript = true, width = 1200 } = {}): Promise<OpenPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setJavaScriptEnabled(javaScript);
  await page.setViewport({ width, height: 900 });
  await page.goto(new URL("/", desk.url).href, { waitUntil: "domcontentloaded" });
  // Once the stream of events is there, what happens from now on is shown.
  if (javaScript)
    await page.waitForFunction("/served|first request/.test(document.getElementById('state').textContent)");
  return {
    page,
    complaints,
    shows: async (selector, text) => {
      const find = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.textContent.includes(${JSON.stringify(text)}))?.innerText`;
      return String(await (await page.waitForFunction(find)).jsonValue());
    },
    [Symbol.asyncDispose]: () => page.close(),
  };
}

async function textOf(page: Page, selector: string): Promise<string> {
  return String(await page.$eval(selector, (element) => element.textContent));
}

/** `fetch` does not let its caller choose the Host header. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(new URL(path, desk.url), { headers, agent: false }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}
