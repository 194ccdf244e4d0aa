/** The app of the desk on the page of `npm start`, in a real browser: shown in its sandbox, and used. */
import { Client } from "parley-mcp/client";
import puppeteer, { type Browser, type Frame, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";

const executablePath = inject("browserPath");
const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

describe.skipIf(executablePath === undefined)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
  });
  afterAll(() => browser?.close());

  test.each(["127.0.0.1", "localhost"])(
    "the page at %s shows the app, and the user adds a note in it",
    async (hostname) => {
      await using program = examples.start("start");
      const url = new URL("/", await program.url());
      url.hostname = hostname;
      await using shown = await open(browser, url);
      const app = await appOf(shown.page);
      await titles(app, ["Welcome", "Groceries", "Garden"]);
      expect(await textOf(shown.page, "#app-text")).toBe("- Welcome\n- Groceries\n- Garden");

      await app.type("input", "Buy <b>seeds</b>");
      await app.click("#add");
      await shown.page.waitForSelector("#app-question:not([hidden])");
      expect(await textOf(shown.page, "#app-question-text")).toMatch(
        /^The app asks to call add_note with {"title":"Buy/,
      );
      await shown.page.click("#app-allow");
      await titles(app, ["Welcome", "Groceries", "Garden", "Buy <b>seeds</b>"]);

      await app.click("[aria-label='Archive Groceries']");
      await shown.page.waitForSelector("#app-question:not([hidden])");
      await shown.page.click("#app-refuse");
      await app.waitForFunction("document.getElementById('problem').textContent !== ''");
      await titles(app, ["Welcome", "Groceries", "Garden", "Buy <b>seeds</b>"]);
      expect(await textOf(shown.page, "#rows")).toContain("tools/call add_note");
      expect(shown.complaints).toEqual([]);
    },
  );

  test("the app runs without an origin, in a frame of another origin than the page", async () => {
    await using program = examples.start("start");
    await using shown = await open(browser, new URL("/", await program.url()));
    const app = await appOf(shown.page);
    const sandbox = app.parentFrame()?.url() ?? "";
    expect(await app.evaluate("origin")).toBe("null");
    expect(new URL(sandbox).origin).not.toBe(new URL(shown.page.url()).origin);
    // Its policy lets it talk to its host alone.
    const endpoint = JSON.stringify(await program.url());
    expect(await app.evaluate(`fetch(${endpoint}).then(() => "reached", () => "blocked")`)).toBe("blocked");
    expect((await fetch(sandbox)).headers.get("content-security-policy")).toBe(
      `frame-ancestors ${new URL(shown.page.url()).origin}`,
    );
    for (const path of ["/?host=https://evil.example", "/", "//", "//:80"])
      expect((await fetch(new URL(sandbox).origin + path)).status).toBe(404);
  });

  test("a call again shows notes that another client has added, in the theme of the browser", async () => {
    await using program = examples.start("start");
    const url = await program.url();
    await using client = await Client.connect(url, { name: "another", version: "1.0.0" });
    await using shown = await open(browser, new URL("/", url));
    const first = await appOf(shown.page);
    await titles(first, ["Welcome", "Groceries", "Garden"]);
    // Left open: the next showing of the app refuses it.
    await first.click("[aria-label='Archive Garden']");
    await shown.page.waitForSelector("#app-question:not([hidden])");

    await client.callTool("add_note", { title: "From another client", text: "Hello" });
    await shown.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await first.waitForSelector("html.dark");
    await shown.page.click("#app-again");
    await shown.page.waitForFunction("document.getElementById('app-question').hidden");
    await shown.page.waitForFunction("!document.getElementById('app-again').disabled");
    const second = await appOf(shown.page);
    await titles(second, ["Welcome", "Groceries", "Garden", "From another client"]);
    await second.waitForSelector("html.dark");
    expect(shown.complaints).toEqual([]);
  });

  test("with workers, the app stays with the notes of one", async () => {
    await using program = examples.start("start", { args: ["--workers", "2"] });
    await using shown = await open(browser, new URL("/", await program.url()));
    const app = await appOf(shown.page);
    expect(await textOf(shown.page, ".app-about")).toContain("This page stays with one of them");
    const expected = ["Welcome", "Groceries", "Garden"];
    await titles(app, expected);
    for (const title of ["One", "Two", "Three", "Four"]) {
      await app.type("input", title);
      await app.click("#add");
      await shown.page.waitForSelector("#app-question:not([hidden])");
      await shown.page.click("#app-allow");
      expected.push(title);
      await titles(app, expected);
      await app.waitForFunction("document.querySelector('input').value === ''");
    }
    expect(program.output).toMatch(/worker \d+ +legacy tools\/call 200/);
    expect(shown.complaints).toEqual([]);
  });

  test("behind a login, the page says where the app can be seen", async () => {
    await using program = examples.start("start", { args: ["--protected"] });
    await using shown = await open(browser, new URL("/", await program.url()));
    const text = await textOf(shown.page, "#app-login");
    expect(text).toContain("connect a client that shows apps");
    expect(text).toContain("start the server without a login");
    expect(await shown.page.$("iframe")).toBeNull();
    expect(shown.complaints).toEqual([]);
  });

  test("the long-running tool runs as a task, which a page that was loaded again finds and cancels", async () => {
    await using program = examples.start("start");
    await using shown = await open(browser, new URL("/", await program.url()));
    const { page } = shown;
    const says = (pattern: string) =>
      page.waitForFunction(
        `new RegExp(${JSON.stringify(pattern)}).test(document.getElementById("task-state").textContent)`,
      );
    // The app above changes its height meanwhile, so that a click at a position may miss.
    const click = (id: string) => page.evaluate(`document.getElementById("${id}").click()`);
    const start = async (seconds: string) => {
      await page.waitForSelector("#task-start:not([disabled])");
      await page.$eval("#task-seconds", (input, value) => input.setAttribute("value", value), seconds);
      await click("task-start");
    };
    await start("1");
    await says("^Task [0-9a-f]{40} is done: 1 s are over$");

    await start("3000");
    await says(" s left$");
    const running = (await textOf(page, "#task-state")).slice(0, 45);
    await page.reload({ waitUntil: "domcontentloaded" });
    await says(`^${running}: .* s left$`);
    await click("task-cancel");
    await says("was cancelled");
    expect(await textOf(page, "#rows")).toContain("tasks/cancel");
    expect(shown.complaints).toEqual([]);
  });

  test("without its sandbox, the page says that the app does not load", async () => {
    await using program = examples.start("start");
    await using shown = await open(browser, new URL("/", await program.url()), { blocksSandbox: true });
    await shown.page.waitForFunction("/does not load/.test(document.getElementById('app-state').textContent)");
  });
});

test("modules of the SDK are served to the page, and no other files", async () => {
  await using program = examples.start("start");
  const url = await program.url();
  const module = await fetch(new URL("/modules/apps/index.js", url));
  expect(module.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  for (const path of ["/modules/nothing.js", "/modules/apps/index.d.ts", "/modules/%2e%2e/package.json", "/modules/"])
    expect((await fetch(new URL(path, url))).status).toBe(404);
});

interface ShownPage extends AsyncDisposable {
  readonly page: Page;
  /** What the browser complained about: violations of the policy, script errors. */
  readonly complaints: string[];
}

async function open(browser: Browser, url: URL, { blocksSandbox = false } = {}): Promise<ShownPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (blocksSandbox) {
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      if (new URL(request.url()).port === url.port) void request.continue();
      else void request.abort();
    });
  }
  await page.goto(url.href, { waitUntil: "domcontentloaded" });
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() };
}

/** The document of the app, inside of the sandbox page, once it shows a result. */
async function appOf(page: Page): Promise<Frame> {
  await page.waitForFunction("/^The result of show_notes/.test(document.getElementById('app-state').textContent)");
  const app = page.frames().find((frame) => frame.parentFrame()?.parentFrame());
  if (app === undefined) throw new Error("The sandbox page shows no app");
  return app;
}

async function titles(app: Frame, expected: readonly string[]): Promise<void> {
  const shown = "JSON.stringify([...document.querySelectorAll('.title')].map((each) => each.textContent))";
  await app.waitForFunction(`${shown} === ${JSON.stringify(JSON.stringify(expected))}`);
}

async function textOf(page: Page, selector: string): Promise<string> {
  return String(await page.$eval(selector, (element) => element.textContent));
}
