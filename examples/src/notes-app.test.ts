/** The app of the desk in a real browser. The host runs in this process, and the browser passes the messages on. */
import { MessageChannel } from "node:worker_threads";
import { AppHost, PostMessageTransport, readAppPage, withPolicy } from "parley-mcp/apps";
import { Client } from "parley-mcp/client";
import puppeteer from "puppeteer-core";
import { expect, inject, test } from "vitest";
import { createDeskServer } from "./desk/desk-server.js";

const executablePath = inject("browserPath");

test.skipIf(executablePath === undefined)("the user sees the notes and adds one", async () => {
  const { server, stop } = createDeskServer();
  await using client = await Client.connect(server, { name: "host", version: "1.0.0" });
  const tool = (await client.listTools()).tools.find(({ name }) => name === "show_notes");
  if (tool === undefined) throw new Error("The desk has no show_notes");
  const { html, csp } = await readAppPage(client, tool);
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const browser = await puppeteer.launch({ ...(executablePath && { executablePath }), args });
  try {
    const page = await browser.newPage();
    const { port1, port2 } = new MessageChannel();
    const transport = PostMessageTransport.overPort(port1);
    const host = AppHost.open({ info: { name: "host", version: "1.0.0" }, client, tool, transport });
    await page.exposeFunction("toHost", (message: unknown) => port2.postMessage(message));
    port2.on("message", (message) => void page.evaluate(`toView(${JSON.stringify(message)})`));
    await page.evaluate(`
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      globalThis.toView = (message) => frame.contentWindow.postMessage(message, "*");
      addEventListener("message", ({ data, source }) => source === frame.contentWindow && toHost(data));
      frame.srcdoc = ${JSON.stringify(withPolicy(html, csp)).replaceAll("<", "\\u003c")};
      document.body.append(frame);
    `);
    await host.run();
    await host.ready;
    const view = page.frames().find((frame) => frame.parentFrame() !== null);
    await view?.waitForFunction("document.querySelectorAll('li').length === 3");

    await view?.type("input", "Buy <b>seeds</b>");
    await view?.click("#add");
    await view?.waitForFunction("document.querySelectorAll('li').length === 4");

    expect(await view?.$$eval(".title", (items) => items.map((item) => item.textContent))).toEqual([
      "Welcome",
      "Groceries",
      "Garden",
      "Buy <b>seeds</b>",
    ]);
    await host.close();
    port2.close();
  } finally {
    await browser.close();
    stop();
  }
});
