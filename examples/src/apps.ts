/** An app: a tool with a page, what a client without pages gets, and a host that shows the page. Here a function plays the page. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import {
  APP_MIME_TYPE,
  AppHost,
  apps,
  isVisibleTo,
  PostMessageTransport,
  readAppPage,
  serveApps,
} from "parley-mcp/apps";
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";

const server = new McpServer({ name: "bakery", version: "1.0.0" });
const ui = serveApps(server);
const page = ui.page("ui://bakery/oven", {
  name: "oven",
  html: "<!doctype html><title>Oven</title><p id=oven></p>",
  csp: { resourceDomains: ["https://pictures.example"] },
});
ui.tool("show_oven", { page }, () => "Six loaves, ten minutes left");
// For the button of the page. The model does not see this tool.
ui.tool("take_out", { input: z.object({ loaves: z.number() }), page, visibility: ["app"] }, ({ loaves }) => {
  return `${loaves} loaves taken out`;
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const info = { name: "example", version: "1.0.0" };

  await using plain = await Client.connect(server, { ...info, revisions: [revision] });
  console.log("without pages:", (await plain.listTools()).tools.map(({ name }) => name).join(", "));

  const extensions = [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })];
  await using client = await Client.connect(server, { ...info, revisions: [revision], extensions });
  const { tools } = await client.listTools();
  console.log("with pages:", tools.map(({ name }) => name).join(", "));
  const [tool] = tools.filter((each) => isVisibleTo("model", each));
  if (tool === undefined) throw new Error("There is no tool for the model");
  const { uri, csp } = await readAppPage(client, tool);
  console.log(`the page ${uri} loads from ${csp.resourceDomains?.join(", ")}`);

  const { port1, port2 } = new MessageChannel();
  const transport = PostMessageTransport.overPort(port1);
  const host = AppHost.open({ info, client, tool, tools, transport, approve: allow });
  const pressed = playPage(port2);
  await host.run();
  await pressed;
  await host.close();
  port2.close();
}

function allow({ method }: { readonly method: string }): boolean {
  console.log("the page asks for", method);
  return true;
}

/** What a page does: it introduces itself, shows the result, and calls a tool when its user presses the button. */
function playPage(port: MessagePort): Promise<void> {
  const post = (message: object) => port.postMessage({ jsonrpc: "2.0", ...message });
  const appInfo = { name: "oven", version: "1.0.0" };
  post({ id: 1, method: "ui/initialize", params: { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" } });
  return new Promise((resolve) => {
    port.on("message", ({ id, method, params, result }) => {
      if (method === "ui/resource-teardown") post({ id, result: {} });
      else if (method === "ui/notifications/tool-result") {
        console.log("the page shows:", params.content[0].text);
        post({ id: 2, method: "tools/call", params: { name: "take_out", arguments: { loaves: 6 } } });
      } else if (id === 1) post({ method: "ui/notifications/initialized" });
      else if (id === 2) {
        console.log("the page shows:", result.content[0].text);
        resolve();
      }
    });
  });
}
