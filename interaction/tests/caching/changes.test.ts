import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const hints = { ttlMs: 1_000, cacheScope: "private" } as const;
const now = () => 0;
const unused = (): never => {
  throw new Error("nothing uses it");
};

verifies(
  "caching:changes:lists",
  "a list is asked for again after each announcement of it, and other lists are not",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, unused);
    server.prompt("recommend", {}, unused);
    server.resource("library://catalog", { name: "catalog" }, () => "Books");
    const client = await connect(server, { cache: { now } });
    await using changes = await client.listen({ tools: true, prompts: true, resources: true });
    const heard = changes[Symbol.asyncIterator]();
    const askForAll = async () => {
      const before = wire.methods("client").length;
      await client.listTools();
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource("library://catalog");
      return wire.methods("client").slice(before);
    };
    await askForAll();
    expect(await askForAll()).toEqual([]);

    for (const [announce, asked] of [
      [() => server.announce.toolsChanged(), ["tools/list"]],
      [() => server.announce.promptsChanged(), ["prompts/list"]],
      [() => server.announce.resourcesChanged(), ["resources/list", "resources/templates/list"]],
    ] as const) {
      announce();
      await heard.next();
      expect(await askForAll()).toEqual(asked);
      expect(await askForAll()).toEqual([]);
    }
  },
);

verifies(
  "caching:changes:resource",
  "a resource whose update was announced is read again, and another one is not",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let reads = 0;
    for (const name of ["emma", "persuasion"]) {
      server.resource(`library://${name}`, { name }, () => `reading ${++reads}`);
    }
    const client = await connect(server, { cache: { now } });
    const read = async (name: string) => (await client.readResource(`library://${name}`)).contents[0];
    await using changes = await client.listen({ resource: ["library://emma", "library://persuasion"] });
    expect(await read("emma")).toMatchObject({ text: "reading 1" });
    expect(await read("persuasion")).toMatchObject({ text: "reading 2" });

    server.announce.resourceUpdated("library://emma");
    await changes[Symbol.asyncIterator]().next();

    expect(await read("persuasion")).toMatchObject({ text: "reading 2" });
    expect(await read("emma")).toMatchObject({ text: "reading 3" });
  },
);

verifies(
  "caching:changes:before-handlers",
  "a handler that hears of a new tool and lists the tools gets it from the server",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, unused);
    const client = await connect(server, { cache: { now } });
    const listed = deferred<string[]>();
    client.onNotification("notifications/tools/list_changed", async () => {
      const { tools } = await client.listTools();
      listed.resolve(tools.map(({ name }) => name));
    });
    await using _changes = await client.listen({ tools: true });
    await client.listTools();

    server.tool("return", {}, unused);

    expect(await listed.promise).toEqual(["lend", "return"]);
  },
);

verifies(
  "caching:changes:under-way",
  "an answer that a change has overtaken reaches its caller and is not kept, so the next call asks again",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: { listChanged: true } }, { cache: { now } });
    const answer = (name: string) => ({
      resultType: "complete",
      tools: [{ name, inputSchema: { type: "object" } }],
      ...hints,
    });

    const overtaken = client.listTools();
    const request = await peer.receive();
    await peer.notify("notifications/tools/list_changed");
    await peer.respond(request, answer("old"));
    expect(await overtaken).toEqual(answer("old"));

    const next = client.listTools();
    await peer.respond(await peer.receive(), answer("new"));
    expect(await next).toEqual(answer("new"));
    expect(await client.listTools()).toEqual(answer("new"));
  },
);

verifies(
  "caching:pages",
  "a page whose time is over is asked for by its cursor, and the pages before and after it are not",
  async ({ openServer }) => {
    let time = 0;
    const { peer, client } = await openServer({ tools: {} }, { cache: { now: () => time } });
    const page = (name: string, ttlMs: number, nextCursor?: string) => ({
      resultType: "complete",
      tools: [{ name, inputSchema: { type: "object" } }],
      ttlMs,
      cacheScope: "private",
      ...(nextCursor !== undefined && { nextCursor }),
    });
    const names = async () => {
      const seen: string[] = [];
      for await (const { name } of client.tools()) seen.push(name);
      return seen;
    };

    const first = names();
    for (const answer of [page("a", 100, "2"), page("b", 10, ""), page("c", 100)]) {
      await peer.respond(await peer.receive(), answer);
    }
    expect(await first).toEqual(["a", "b", "c"]);

    time = 50;
    const second = names();
    const asked = await peer.receive();
    expect(asked.params).toMatchObject({ cursor: "2" });
    await peer.respond(asked, page("B", 10, ""));
    expect(await second).toEqual(["a", "B", "c"]);
  },
);

verifies(
  "caching:pages:invalid-cursor",
  "a cursor that the server does not know empties the list's pages, and no other list's",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 1, cache: hints });
    for (const name of ["lend", "return"]) server.tool(name, {}, unused);
    server.prompt("recommend", {}, unused);
    const client = await connect(server, { cache: { now } });
    const { nextCursor } = await client.listTools();
    const cursor = String(nextCursor);
    await client.listTools({ cursor });
    await client.listPrompts();

    await expect(client.listTools({ cursor: "no cursor of this server" })).rejects.toMatchObject({ code: -32602 });

    const before = wire.methods("client").length;
    await client.listTools();
    await client.listTools({ cursor });
    await client.listPrompts();
    expect(wire.methods("client").slice(before)).toEqual(["tools/list", "tools/list"]);
  },
);

verifies(
  "caching:pages:invalid-cursor",
  "a walk whose cursor the server refuses starts over, and yields each tool once",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 1, cache: hints });
    for (const name of ["lend", "return", "reserve"]) server.tool(name, {}, unused);
    let isRefused = false;
    server.use((call, next) => {
      if (call.method !== "tools/list" || call.params.cursor === undefined || isRefused) return next(call.params);
      isRefused = true;
      throw new ProtocolError(-32602, "This cursor is not known any more");
    });
    const client = await connect(server, { cache: { now } });
    const opening = wire.methods("client").length;
    const names: string[] = [];
    for await (const { name } of client.tools()) names.push(name);

    expect(names).toEqual(["lend", "return", "reserve"]);
    expect(wire.methods("client").slice(opening)).toHaveLength(5);
  },
);
