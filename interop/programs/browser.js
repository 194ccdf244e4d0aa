/** Runs our client in pages of one Chromium. */
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";

const ORIGIN = "http://127.0.0.1:9";
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-features=LocalNetworkAccessChecks"];

/** Starts the browser for pages that have a module of `interop/src/clients` as `peers`. */
export async function startBrowser(module, executablePath) {
  const input = fileURLToPath(new URL(`../dist/clients/${module}`, import.meta.url));
  const bundle = await rolldown({ input, platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "peers", codeSplitting: false });
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  return { openPage: () => openPage(browser, output[0].code) };
}

async function openPage(browser, code) {
  const page = await browser.newPage();
  // A page of this machine, whose calls to other ports of it are cross-origin.
  await page.route(`${ORIGIN}/**`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto(`${ORIGIN}/`);
  await page.evaluate(`${code}; globalThis.peers = peers;`);
  return {
    expose: (name, call) => page.exposeFunction(name, call),
    evaluate: (script) => page.evaluate(script),
    close: () => page.close(),
  };
}
