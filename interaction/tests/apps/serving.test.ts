import { APP_MIME_TYPE, type AppPageConfig, apps, serveApps } from "parley-mcp/apps";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const identity = { name: "board", version: "1.0.0" };
const HTML = "<!doctype html><title>Board</title><p>Board</p>";
const URI = "ui://board/main";
const showsPages = { extensions: [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })] };

function serving(config: Partial<AppPageConfig> = {}): McpServer {
  const server = new McpServer({ ...identity, onError: () => undefined });
  const ui = serveApps(server);
  const page = ui.page(URI, { name: "board", html: HTML, ...config });
  const input = z.object({ team: z.string() });
  ui.tool("show_board", { input, page, meta: { "com.example/kind": "board" } }, ({ team }) => `Board of ${team}`);
  ui.tool("move_card", { page, visibility: ["app"] }, () => "moved");
  return server;
}

verifies(
  "apps:declaration",
  "a server with apps declares io.modelcontextprotocol/ui under capabilities.extensions",
  async ({ connect }) => {
    const client = await connect(serving());

    expect(client.serverCapabilities?.extensions).toEqual({ "io.modelcontextprotocol/ui": {} });
  },
);

verifies(
  "apps:page:read",
  "resources/read of a page has the MIME type, the HTML as text, and all wishes of the page in _meta.ui",
  async ({ connect }) => {
    const csp = { connectDomains: ["https://api.example.com"], resourceDomains: ["https://*.example.com:8443"] };
    const wishes = { csp, domain: "board.example", prefersBorder: false };
    const client = await connect(serving({ ...wishes, permissions: ["camera", "clipboardWrite"] }));

    const { contents } = await client.readResource(URI);

    const ui = { ...wishes, permissions: { camera: {}, clipboardWrite: {} } };
    expect(contents).toEqual([{ uri: URI, mimeType: APP_MIME_TYPE, text: HTML, _meta: { ui } }]);
  },
);

verifies(
  "apps:page:refused",
  "registering a page with an invalid URI, document, origin or permission throws an error that says why",
  () => {
    const ui = serveApps(new McpServer(identity));
    const add =
      (config: object, uri = URI) =>
      () =>
        ui.page(uri, { name: "x", html: HTML, ...config });

    expect(add({}, "https://board.example")).toThrow("ui://clock/face");
    expect(add({ html: "<p>Board</p>" })).toThrow("starts with <!doctype html>");
    expect(add({ html: 7 })).toThrow("starts with <!doctype html>");
    expect(add({ csp: { connectDomains: ["https://a.example; script-src *"] } })).toThrow("csp.connectDomains");
    expect(add({ csp: { frameDomains: ["https://*.com"] } })).toThrow('https://*.example.com, got "https://*.com"');
    expect(add({ csp: { connectDomain: [] } })).toThrow('did you mean "connectDomains"');
    expect(add({ permissions: ["usb"] })).toThrow('"usb" is none of camera');
    expect(add({ title: 7 })).toThrow("title: expected a string");
    expect(() => serveApps(serving())).toThrow(expect.objectContaining({ code: "duplicate-name" }));
  },
);

verifies(
  "apps:page:computed",
  "a page function makes the HTML anew for each read, and a result that is no document fails the read",
  async ({ connect }) => {
    const pages = [HTML, `${HTML}<p>new</p>`, "no document"];
    const client = await connect(serving({ html: async () => pages.shift() ?? "" }));
    const read = async () => (await client.readResource(URI)).contents[0];

    expect(await read()).toMatchObject({ text: HTML });
    expect(await read()).toMatchObject({ text: `${HTML}<p>new</p>` });
    await expect(read()).rejects.toMatchObject({ code: -32603 });
  },
);

verifies(
  "apps:page:listed",
  "a page is in resources/list unless its author says listed: false, and can be read either way",
  async ({ connect }) => {
    const listed = await connect(serving({ title: "The board" }));
    const hidden = await connect(serving({ listed: false }));

    expect((await listed.listResources()).resources).toEqual([
      { uri: URI, name: "board", title: "The board", mimeType: APP_MIME_TYPE, _meta: { ui: {} } },
    ]);
    expect((await hidden.listResources()).resources).toEqual([]);
    expect((await hidden.readResource(URI)).contents).toHaveLength(1);
  },
);

verifies(
  "apps:tool:page",
  "a tool with a page has its URI in _meta.ui and keeps its other _meta keys",
  async ({ connect }) => {
    const client = await connect(serving(), showsPages);

    const { tools } = await client.listTools();

    expect(tools.map(({ name, _meta }) => [name, _meta])).toContainEqual([
      "show_board",
      { "com.example/kind": "board", ui: { resourceUri: URI } },
    ]);
  },
);

verifies(
  "apps:tool:plain",
  "a client without the extension lists and calls a tool with a page as any other tool",
  async ({ connect }) => {
    const client = await connect(serving());

    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("show_board");
    expect((await client.callTool("show_board", { team: "A" })).content).toEqual([
      { type: "text", text: "Board of A" },
    ]);
  },
);

verifies(
  "apps:tool:app-only",
  "tools for pages alone are listed for clients that declared the MIME type of pages, and for no others",
  async ({ connect }) => {
    const names = async (extensions: object[]) => {
      const client = await connect(serving(), { extensions: extensions as [] });
      return (await client.listTools()).tools.map(({ name }) => name);
    };

    expect(await names(showsPages.extensions)).toEqual(["show_board", "move_card"]);
    expect(await names([apps.onClient({ mimeTypes: ["text/uri-list"] })])).toEqual(["show_board"]);
    expect(await names([])).toEqual(["show_board"]);
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: APP_MIME_TYPE } };
    const malformed = await connect(serving(), { capabilities: { extensions } });
    expect((await malformed.listTools()).tools.map(({ name }) => name)).toEqual(["show_board"]);
  },
);

verifies(
  "apps:tool:refused",
  "a tool with an invalid visibility or page, or a _meta.ui of its own, is refused at registration",
  () => {
    const ui = serveApps(new McpServer(identity));
    const add = (config: object) => () => ui.tool("x", config, () => "y");

    expect(add({ visibility: [] })).toThrow('expected ["model"], ["app"] or both');
    expect(add({ visibility: ["user"] })).toThrow('expected ["model"], ["app"] or both');
    expect(add({ visibility: "app" })).toThrow('expected ["model"], ["app"] or both');
    expect(add({ meta: { ui: {} } })).toThrow("use page and visibility instead");
    expect(add({ page: URI })).toThrow("page: expected an object");
    expect(add({ page: { url: URI } })).toThrow('page: there is no option "url"');
    expect(add({ page: {} })).toThrow("page: expected a page that ui.page returned");
    expect(add({ visiblity: ["app"] })).toThrow('there is no option "visiblity"');
  },
);
