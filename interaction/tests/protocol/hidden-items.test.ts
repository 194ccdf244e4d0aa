import type { Client } from "parley-mcp/client";
import { McpServer, type McpServerOptions, type ServerContext } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const identity = { name: "shop", version: "1.0.0" };
type Listed = boolean | ((context: ServerContext) => boolean);

/** A server with an open item and one of the given kind in each list; two items make a page. */
function shop(listed: Listed, options: Partial<McpServerOptions> = {}): McpServer {
  const server = new McpServer({ ...identity, pageSize: 2, ...options });
  for (const [name, config] of [
    ["hidden", { listed }],
    ["open", {}],
    ["also-open", {}],
  ] as const) {
    server.tool(name, config, () => name);
    server.prompt(name, config, () => name);
    server.resource(`shop://${name}`, { name, ...config }, () => name);
    server.resourceTemplate(
      `shop://${name}/{id}`,
      { name, ...config, list: () => [{ uri: `shop://${name}/1`, name: "1" }], listCacheScope: "public" },
      () => name,
    );
  }
  return server;
}

/** The names on all pages of each list. */
async function listed(client: Client) {
  const names = async (items: AsyncIterable<{ name: string; uri?: string }>) => {
    const all: string[] = [];
    for await (const { name, uri } of items) all.push(uri ?? name);
    return all;
  };
  return {
    tools: await names(client.tools()),
    prompts: await names(client.prompts()),
    templates: await names(client.resourceTemplates()),
    resources: await names(client.resources()),
  };
}

const OPEN = ["open", "also-open"];
const OPEN_ITEMS = {
  tools: OPEN,
  prompts: OPEN,
  templates: OPEN,
  resources: ["shop://open", "shop://also-open", "shop://open/1", "shop://also-open/1"],
};

verifies(
  "pagination:hidden:served",
  "a hidden item is in none of the four lists, and is served by its name",
  async ({ connect }) => {
    const client = await connect(shop(false));

    expect(await listed(client)).toEqual(OPEN_ITEMS);
    expect((await client.listTools()).nextCursor).toBeUndefined();
    expect((await client.callTool("hidden")).content).toMatchObject([{ text: "hidden" }]);
    expect((await client.getPrompt("hidden")).messages).toMatchObject([{ content: { text: "hidden" } }]);
    for (const uri of ["shop://hidden", "shop://hidden/1"]) {
      expect((await client.readResource(uri)).contents).toMatchObject([{ uri, text: "hidden" }]);
    }
  },
);

verifies(
  "pagination:hidden:by-request",
  "a listed function decides for each request, and the pages follow one another without gaps",
  async ({ connect }) => {
    let shown: unknown = true;
    const server = shop((context) => {
      expect(context.method).toMatch(/list$/);
      return shown as boolean;
    });
    const client = await connect(server);
    const all = ["hidden", ...OPEN];
    expect(await listed(client)).toEqual({
      tools: all,
      prompts: all,
      templates: all,
      resources: all.map((name) => `shop://${name}`).concat(all.map((name) => `shop://${name}/1`)),
    });
    for (shown of [false, undefined]) expect(await listed(client)).toEqual(OPEN_ITEMS);
  },
);

verifies(
  "pagination:hidden:private",
  "a list with a listed function is private, while other lists keep the hint of the server",
  async ({ connect }) => {
    const cache = { ttlMs: 1_000, cacheScope: "public" } as const;
    const scopes = async (server: McpServer) => {
      const client = await connect(server);
      const pages = [client.listTools(), client.listPrompts(), client.listResources(), client.listResourceTemplates()];
      return (await Promise.all(pages)).map((page) => (page as { cacheScope?: string }).cacheScope);
    };
    expect(await scopes(shop(() => true, { cache }))).toEqual(["private", "private", "private", "private"]);
    expect(await scopes(shop(false, { cache }))).toEqual(["public", "public", "public", "public"]);

    const server = new McpServer({ ...identity, cache });
    server.resource("shop://secret", { name: "secret", listed: () => true }, () => "7");
    server.resourceTemplate("shop://open/{id}", { name: "open", list: () => [] }, () => "1");
    server.tool("buy", () => "bought");
    server.prompt("greet", () => "Hello");
    expect(await scopes(server)).toEqual(["public", "public", "private", "public"]);
  },
);

verifies(
  "pagination:hidden:not-announced",
  "a change of hidden items is not announced, and the next announcement is of a listed tool",
  async ({ connect }) => {
    const server = shop(false);
    const client = await connect(server);
    const changes = (await client.listen({ tools: true, prompts: true, resources: true }))[Symbol.asyncIterator]();
    server.resource("shop://cellar", { name: "cellar", listed: false }, () => "dark").remove();
    server.prompt("whisper", { listed: false }, () => "psst");
    await new Promise(setImmediate);
    server.tool("sell", () => "sold");
    expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
    server.prompt("shout", { listed: () => false }, () => "hey");
    expect(await changes.next()).toEqual({ done: false, value: { kind: "prompts" } });
  },
);

verifies(
  "pagination:hidden:checked",
  "a listed that is no boolean and no function is refused for each kind of item",
  () => {
    const server = new McpServer(identity);
    // What plain JavaScript may pass.
    const config = { name: "x", listed: "no" as unknown as boolean };
    const { name: _name, ...unnamed } = config;
    for (const register of [
      () => server.tool("x", unnamed, () => ""),
      () => server.prompt("x", unnamed, () => ""),
      () => server.resource("shop://x", config, () => ""),
      () => server.resourceTemplate("shop://x/{id}", config, () => ""),
    ]) {
      expect(register).toThrow(
        expect.objectContaining({
          code: "invalid-argument",
          message: expect.stringContaining("listed: expected true, false"),
        }),
      );
    }
  },
);
