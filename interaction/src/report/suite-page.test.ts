/** The page in a real browser: loaded, searched, filtered and followed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requirements } from "parley-requirements";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { cellName, cellsOf } from "../cells.js";
import { formatTestName } from "../test-name.js";
import { renderSuitePage } from "./suite-page.js";
import { reportSuite, type TestResult } from "./suite-report.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The browser that the global set-up found. */
    browserPath: string | undefined;
  }
}

const FAILED = "tools:call:content:text";

/** The whole manifest as it would pass, with one test that fails over one connection. */
const RESULTS: TestResult[] = Object.entries(requirements).flatMap(([id, requirement]) =>
  cellsOf(requirement).admitted.map((cell): TestResult => {
    const isFailed = id === FAILED && cell.connection === "stdio";
    return {
      file: `tests/${id.split(":")[0]}/all.test.ts`,
      name: formatTestName({ cell: cellName(cell), ids: [id], sentence: "it holds" }),
      state: isFailed ? "failed" : "passed",
      errors: isFailed ? ["expected <b>1</b>"] : [],
    };
  }),
);

const executablePath = inject("browserPath");

describe.skipIf(executablePath === undefined)("in a browser", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "suite-page-"));
    writeFileSync(join(folder, "index.html"), renderSuitePage(reportSuite(requirements, RESULTS)));
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
    page = await browser.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => complaints.push(...(request.isNavigationRequest() ? [] : [request.url()])));
    await page.goto(pathToFileURL(join(folder, "index.html")).href);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function shown(): Promise<string[]> {
    return page.$$eval("details:not([hidden]) .name", (names) => names.map((name) => name.textContent ?? ""));
  }

  async function search(text: string): Promise<void> {
    await page.$eval("input[type=search]", (input) => {
      input.value = "";
    });
    await page.type("input[type=search]", text || " ");
  }

  test("every requirement is an entry", async () => {
    expect((await shown()).toSorted()).toEqual(Object.keys(requirements).toSorted());
  });

  test("a search leaves the entries that have all its words", async () => {
    await search("elicitation:url must");
    const names = await shown();

    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThan(Object.keys(requirements).length / 4);
    for (const name of names.filter((each) => each.startsWith("elicitation:url"))) {
      expect(requirements[name]?.behavior).toBeDefined();
    }
    await search("");
  });

  test("a kind that is switched off is hidden", async () => {
    await page.click("input[value=passed]");
    expect(await shown()).toEqual([FAILED]);
    await page.click("input[value=passed]");
  });

  test("a cell of the grid leads to the requirements of its area in that connection and revision", async () => {
    const button = await page.waitForSelector('button[data-query="[tools] [stdio@2025-11-25]"]');
    await button?.evaluate((element) => element.click());
    const names = await shown();

    expect(names).toContain(FAILED);
    expect(names.every((name) => name.startsWith("tools:"))).toBe(true);
    expect(await button?.evaluate((element) => element.parentElement?.className)).toBe("red");
    await search("");
  });

  test("a fragment opens its requirement, with the link to its source and the error of its test as text", async () => {
    await page.evaluate(`location.hash = ${JSON.stringify(FAILED)}`);
    const entry = await page.waitForSelector(`details[id="${FAILED}"][open]`);
    const text = await entry?.evaluate((element) => element.textContent);

    expect(await entry?.$eval("a", (link) => link.href)).toBe(requirements[FAILED]?.source);
    expect(text).toContain("[stdio 2025-11-25] expected <b>1</b>");
  });

  test.each([390, 1280])("at %i pixels nothing but the grid is wider than the screen", async (width) => {
    await page.setViewport({ width, height: 800 });

    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });

  test("nothing fails, and no other file is loaded", () => {
    expect(complaints).toEqual([]);
  });
});
