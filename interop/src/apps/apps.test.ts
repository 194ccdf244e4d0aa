/** Apps between implementations, in a browser: an official app in our host, and our app in an official host. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AppCsp, sandboxPage, serveApps } from "parley-mcp/apps";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import puppeteer, { type Browser, type Frame, type Page } from "puppeteer-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ownApp } from "./own-app.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The browser that the global set-up found. */
    browserPath: string | undefined;
  }
}

const modules = fileURLToPath(new URL("../../apps", import.meta.url));
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-features=LocalNetworkAccessChecks"];
const executablePath = inject("browserPath");

async function bundled(module: string, format: "iife" | "es"): Promise<string> {
  await using bundle = await rolldown({
    input: join(modules, module),
    platform: "browser",
    transform: { target: "es2022" },
  });
  const { output } = await bundle.generate({ format, name: "host", codeSplitting: false, minify: true });
  // A script ends at the first "</script", even inside a text.
  return output[0].code.replaceAll("</script", "<\\/script");
}

/** A site of its own origin that serves one document. */
async function site(html: (origin: string) => string): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(html(origin));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function boardServer(html: string, csp: AppCsp): McpServer {
  const server = new McpServer({ name: "board", version: "1.0.0" });
  const ui = serveApps(server);
  const page = ui.page("ui://board/main", { name: "board", html, csp });
  const input = { type: "object", properties: { team: { type: "string" }, card: { type: "number" } } };
  ui.tool("show_board", { input, page }, ({ team }) => `Board of ${team}`);
  ui.tool("move_card", { input, visibility: ["app"] }, ({ card }) => `moved ${card}`);
  ui.tool("delete_board", { visibility: ["model"] }, () => "deleted");
  server.resource("board://cards", { name: "cards" }, () => "seven cards");
  return server;
}

interface Shown extends AsyncDisposable {
  readonly page: Page;
  /** The document of the app. */
  readonly app: Frame;
  /** What the host has heard from the app. */
  heard(): Promise<unknown[]>;
}

let browser: Browser;

/** Shows the app of a server in a host, until `isDone` is true in the app. */
async function show(hostModule: string, html: string, isDone: string, csp: AppCsp = {}): Promise<Shown> {
  const host = await bundled(hostModule, "iife");
  const hostSite = await site(() => `<!doctype html><title>Host</title><body><script>${host}</script>`);
  const sandboxSite = await site(() => sandboxPage(hostSite.origin));
  const http = await serveHttp(boardServer(html, csp), { cors: { origins: [hostSite.origin] } });
  const page = await browser.newPage();
  await page.goto(hostSite.origin);
  const call = `host.show(${JSON.stringify(http.url)}, ${JSON.stringify(`${sandboxSite.origin}/`)}, { team: "A" })`;
  await page.evaluate(`${call}.then((shown) => void (globalThis.shown = shown))`);
  const app = page.frames().find((frame) => frame.parentFrame()?.url().startsWith(sandboxSite.origin));
  if (app === undefined) throw new Error("The sandbox page shows no app");
  await app.waitForFunction(isDone);
  return {
    page,
    app,
    heard: async () => (await page.evaluate("shown.heard")) as unknown[],
    async [Symbol.asyncDispose]() {
      await page.close();
      await http.close();
      await sandboxSite[Symbol.asyncDispose]();
      await hostSite[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(executablePath === undefined)("in a browser", () => {
  beforeAll(async () => {
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args: FLAGS });
  });
  afterAll(() => browser?.close());

  test("an app of the official package in our host", async () => {
    const script = await bundled("official-app.js", "es");
    const html = `<!doctype html><title>App</title><p>App</p><script type="module">${script}</script>`;
    await using shown = await show("our-host.js", html, "globalThis.seen?.at(-1)?.[0] === 'done'");

    expect(await shown.app.evaluate("seen")).toEqual([
      ["input", { team: "A" }],
      ["result", [{ type: "text", text: "Board of A" }]],
      ["call", [{ type: "text", text: "moved 3" }]],
      ["hidden", expect.stringContaining("delete_board")],
      ["read", [{ uri: "board://cards", text: "seven cards" }]],
      ["link", {}],
      ["script link", expect.stringContaining("Invalid URL")],
      ["message", {}],
      ["model context", {}],
      ["log", null],
      ["mode", { mode: "fullscreen" }],
      ["fetch", expect.stringContaining("Failed to fetch")],
      ["done", "dark"],
    ]);
    expect(await shown.page.evaluate("shown.view.info")).toMatchObject({ name: "official-app", version: "1.0.0" });
    await shown.page.evaluate("shown.close()");
    expect(await shown.heard()).toEqual([
      ["link", "https://board.example/7"],
      ["message", { role: "user", content: [{ type: "text", text: "hello" }] }],
      ["model context", { structuredContent: { card: 3 } }],
      ["log", { level: "info", data: "ready" }],
      ["log", { level: "info", data: "bye" }],
    ]);
    expect(await shown.page.evaluate("parseInt(shown.frame.style.height) > 0")).toBe(true);
  });

  test("our app in a host of the official packages, behind our sandbox page", async () => {
    await using shown = await show("official-host.js", ownApp, "document.title === 'done'");

    expect(await shown.app.evaluate("document.querySelector('#log').textContent")).toBe(
      'official-host; {"team":"A"}; Board of A; moved 3',
    );
    expect(await shown.heard()).toEqual([["link", "https://board.example/7"]]);
    expect(await shown.page.evaluate("shown.view")).toEqual({ name: "own-app", version: "1.0.0" });
    expect(await shown.page.evaluate("shown.close()")).toEqual({});
  });

  test("an app cannot leave its sandbox", async () => {
    await using shown = await show("our-host.js", ownApp, "document.title === 'done'");
    const { app, page } = shown;
    const attempt = (code: string) =>
      app.evaluate(`(async () => { ${code} })().then(() => "done", (error) => error.name)`);

    expect(await attempt("return parent.document")).toBe("SecurityError");
    expect(await attempt("return top.document")).toBe("SecurityError");
    expect(await attempt("return localStorage")).toBe("SecurityError");
    expect(await attempt("await fetch(location.ancestorOrigins[0])")).toBe("TypeError");
    expect(await attempt("top.location = 'https://evil.example/'")).toBe("SecurityError");
    // A forged message of the sandbox page ends there, and the frame cannot navigate to another site.
    await app.evaluate(`parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready" }, "*")`);
    const url = page.url();
    const blocked = new Promise((resolve) => {
      page.on("console", (message) => /frame-src/.test(message.text()) && resolve(message.text()));
    });
    await app.evaluate(`void (location.href = ${JSON.stringify(url)})`);
    expect(await blocked).toContain("violates the following Content Security Policy directive");
    // The browser shows a page of its own in place of the blocked one, which ends the connection.
    const otherError = expect.not.stringContaining("connection was lost");
    expect(await shown.heard()).not.toContainEqual(["error", otherError]);
  });

  test.each([true, false])("an app may compile WebAssembly if it declared that: %s", async (wasmUnsafeEval) => {
    await using shown = await show("our-host.js", ownApp, "document.title === 'done'", { wasmUnsafeEval });
    const magic = "new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])";
    const compiled = `WebAssembly.compile(${magic}).then(() => "compiled", (error) => error.name)`;
    expect(await shown.app.evaluate(compiled)).toBe(wasmUnsafeEval ? "compiled" : "CompileError");
    // Later, since the browser lets the code of a debugger pass.
    const evaluated = "new Promise((resolve) => setTimeout(() => resolve(new Function('return \"evaluated\"')())))";
    const refused = "new Promise((resolve) => addEventListener('error', ({ message }) => resolve(message)))";
    expect(await shown.app.evaluate(`Promise.race([${evaluated}, ${refused}])`)).toContain("EvalError");
  });

  test("a second document in the frame ends the connection", async () => {
    await using shown = await show("our-host.js", ownApp, "document.title === 'done'");
    const { app, page } = shown;
    expect(await page.evaluate("shown.isClosed()")).toBe(false);

    // The policy lets the frame load its own document again.
    await app.evaluate("void location.reload()");
    await page.waitForFunction("shown.isClosed()");

    expect(await shown.heard()).toContainEqual(["error", expect.stringMatching(/second document|connection was lost/)]);
  });

  test("a page without a sandbox page cannot hand its connection to another document", async () => {
    const other = await site(() => "<!doctype html><title>Other</title>");
    await using _other = other;
    const host = await bundled("our-host.js", "iife");
    await using hostSite = await site(() => `<!doctype html><title>Host</title><body><script>${host}</script>`);
    const leaving = `<script>addEventListener("message", ({ data }) => {
      if (data.method === "ui/notifications/tool-result") location.href = ${JSON.stringify(other.origin)};
    });</script>`;
    await using http = await serveHttp(boardServer(`${ownApp}${leaving}`, {}), {
      cors: { origins: [hostSite.origin] },
    });
    await using page = await browser.newPage();
    await page.goto(hostSite.origin);
    await page.evaluate(
      `host.showAlone(${JSON.stringify(http.url)}, { team: "A" }).then((shown) => void (globalThis.shown = shown))`,
    );
    await page.waitForFunction("shown.isClosed()");

    expect(await page.evaluate("shown.heard")).toEqual([["error", "The connection was lost"]]);
    expect(page.frames().map((frame) => frame.url())).toContain(`${other.origin}/`);
  });
});
