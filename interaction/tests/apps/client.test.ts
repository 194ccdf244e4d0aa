import {
  APP_MIME_TYPE,
  apps,
  contentSecurityPolicy,
  isVisibleTo,
  permissionsPolicy,
  readAppPage,
  serveApps,
  withPolicy,
} from "parley-mcp/apps";
import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { Tool } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const identity = { name: "board", version: "1.0.0" };
const HTML = "<!doctype html><p>Bö</p>";
const URI = "ui://board/main";

/** A server that gives any content for the page of a tool. */
function giving(content: object, resourceUri: unknown = URI): McpServer {
  const server = new McpServer(identity);
  server.tool("show", { meta: { ui: { resourceUri } } }, () => "shown");
  server.resource(
    URI,
    { name: "page" },
    () => ({ contents: [{ uri: URI, mimeType: APP_MIME_TYPE, ...content }] }) as never,
  );
  return server;
}

async function firstTool(client: Client): Promise<Tool> {
  const [tool] = (await client.listTools()).tools;
  if (tool === undefined) throw new Error("There is no tool");
  return tool;
}

verifies(
  "apps:client:settings",
  "a host declares the MIME types that it shows in every era, and onClient without mimeTypes throws",
  async ({ connect }) => {
    const server = new McpServer(identity);
    let settings: unknown;
    serveApps(server).tool("ask", {}, (_args, context) => {
      settings = context.extension(apps)?.settings;
    });
    const client = await connect(server, { extensions: [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })] });

    await client.callTool("ask");

    expect(settings).toEqual({ mimeTypes: [APP_MIME_TYPE] });
    expect(() => apps.onClient({} as never)).toThrow("mimeTypes");
  },
);

verifies(
  "apps:client:read",
  "readAppPage reads a page from text or blob with its permissions, and leaves out what is no origin",
  async ({ connect, wire }) => {
    const connectDomains = ["https://a.example", "https://b.example; x", "https://*.com", "wss://*.com:443", 7];
    const csp = { connectDomains, frameDomains: "all" };
    const ui = { csp, permissions: { camera: {}, usb: {} }, domain: "d.example", prefersBorder: true };
    const blob = Buffer.from(HTML).toString("base64");
    const client = await connect(giving({ blob, _meta: { ui } }));
    const plain = await connect(giving({ text: HTML, mimeType: 'text/html; Profile="mcp-app"' }));

    const page = await readAppPage(client, await firstTool(client));

    expect(page).toEqual({
      uri: URI,
      html: HTML,
      csp: { connectDomains: ["https://a.example"], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
      refusedDomains: ["https://b.example; x", "https://*.com", "wss://*.com:443"],
      permissions: ["camera"],
      domain: "d.example",
      prefersBorder: true,
    });
    expect(wire.methods("client")).toContain("resources/read");
    expect(await readAppPage(plain, await firstTool(plain))).toMatchObject({ html: HTML, permissions: [] });
  },
);

verifies(
  "apps:client:refused",
  "readAppPage rejects a page with a wrong scheme, MIME type, URI or size before a host sees it",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect }) => {
    const read = async (content: object, uri?: unknown, options = {}) => {
      const client = await connect(giving("blob" in content ? content : { text: HTML, ...content }, uri));
      return readAppPage(client, await firstTool(client), options);
    };
    const invalid = (message: string) =>
      expect.objectContaining({ code: "invalid-result", message: expect.stringContaining(message) });

    await expect(read({}, "https://board.example")).rejects.toEqual(invalid("starts with ui://"));
    await expect(read({ mimeType: "text/html" })).rejects.toEqual(invalid('got "text/html"'));
    await expect(read({ uri: "ui://board/other" })).rejects.toEqual(invalid("no content of this URI"));
    await expect(read({ blob: "/w==" })).rejects.toEqual(invalid("not HTML in UTF-8"));
    await expect(read({}, undefined, { maxPageChars: 5 })).rejects.toMatchObject({ code: "too-large" });
    await expect(read({ blob: "AAAA" }, undefined, { maxPageChars: 1 })).rejects.toMatchObject({ code: "too-large" });
    // Not decoded: the text is no UTF-8.
    await expect(read({ blob: "/".repeat(40) }, undefined, { maxPageChars: 5 })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("40 characters of Base64"),
    });
    await expect(read({}, 7)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("no page"),
    });
  },
);

verifies(
  "apps:client:visibility",
  "isVisibleTo decides by the visibility in the _meta of a tool who may call it",
  async ({ connect }) => {
    const server = new McpServer(identity);
    const ui = (visibility: unknown) => ({ meta: { ui: { visibility } } });
    server.tool("both", () => "");
    server.tool("app", ui(["app"]), () => "");
    server.tool("model", ui(["model"]), () => "");
    server.tool("odd", ui("model"), () => "");
    const { tools } = await (await connect(server)).listTools();

    const seenBy = (who: "model" | "app") => tools.filter((tool) => isVisibleTo(who, tool)).map(({ name }) => name);

    expect(seenBy("model")).toEqual(["both", "model"]);
    expect(seenBy("app")).toEqual(["both", "app"]);
  },
);

verifies(
  "apps:policy:wasm",
  "a page that declared wasmUnsafeEval is read with it and gets a policy that allows it",
  async ({ connect }) => {
    const server = new McpServer(identity);
    const ui = serveApps(server);
    const csp = { wasmUnsafeEval: true, resourceDomains: ["https://cdn.example"] };
    ui.tool("show", { page: ui.page(URI, { name: "page", html: HTML, csp }) }, () => "shown");
    const client = await connect(server);
    const odd = await connect(giving({ text: HTML, _meta: { ui: { csp: { wasmUnsafeEval: "yes" } } } }));

    const page = await readAppPage(client, await firstTool(client));

    expect(page.csp).toMatchObject(csp);
    expect(contentSecurityPolicy(page.csp)).toContain(
      "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' https://cdn.example; style-src 'self' 'unsafe-inline' https",
    );
    expect((await readAppPage(odd, await firstTool(odd))).csp).not.toHaveProperty("wasmUnsafeEval");
    const mistaken = { name: "x", html: HTML, csp: { wasmUnsafeEval: "yes" as never } };
    expect(() => ui.page("ui://board/other", mistaken)).toThrow("wasmUnsafeEval: expected true or false");
  },
);

verifies(
  "apps:policy",
  "contentSecurityPolicy lists the declared origins in the order of its directives, and allows none that were not declared",
  () => {
    const none = contentSecurityPolicy();
    const some = contentSecurityPolicy({
      connectDomains: ["wss://live.example", "https://a.example; script-src *", "https://*.com"],
      resourceDomains: ["https://*.cdn.example"],
      frameDomains: ["https://video.example"],
      baseUriDomains: ["https://base.example"],
    });

    expect(none).toBe(
      "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        "font-src 'self'; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; " +
        "form-action 'none'; base-uri 'self'",
    );
    expect(some).toContain("script-src 'self' 'unsafe-inline' https://*.cdn.example; ");
    expect(some).toContain("connect-src wss://live.example; frame-src https://video.example; ");
    expect(some).toContain("base-uri https://base.example");
    expect(permissionsPolicy(["clipboardWrite", "camera"])).toBe("camera; clipboard-write");
    expect(contentSecurityPolicy({ wasmUnsafeEval: false })).toBe(none);
    expect(contentSecurityPolicy({ wasmUnsafeEval: "'unsafe-eval'" as never })).toBe(none);
    expect(withPolicy(HTML)).toBe(
      `<!doctype html><meta http-equiv="Content-Security-Policy" content="${none}">${HTML}`,
    );
  },
);
