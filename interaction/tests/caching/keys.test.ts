import { Client, type Fetch, InMemoryCacheStore } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const hints = { ttlMs: 1_000, cacheScope: "private" } as const;
const now = () => 0;
const modern = { name: "c", version: "1.0.0", revision: "2026-07-28" } as const;

verifies(
  "caching:key",
  "two resources, two pages and two lists are told apart, and each is asked for once",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 1, cache: hints });
    for (const name of ["emma", "persuasion"]) {
      server.resource(`library://${name}`, { name }, () => `The text of ${name}`);
    }
    const client = await connect(server, { cache: { now } });
    const opening = wire.methods("client").length;

    for (let time = 0; time < 2; time += 1) {
      const names: string[] = [];
      for await (const { name } of client.resources()) names.push(name);
      expect(names).toEqual(["emma", "persuasion"]);
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
      for (const name of names) {
        const { contents } = await client.readResource(`library://${name}`);
        expect(contents).toEqual([{ uri: `library://${name}`, text: `The text of ${name}` }]);
      }
    }

    const pages = ["resources/list", "resources/list"];
    const reads = ["resources/read", "resources/read"];
    expect(wire.methods("client").slice(opening)).toEqual([...pages, "resources/templates/list", ...reads]);
  },
);

verifies(
  "caching:key:meta",
  "another tenant in _meta makes another request; progress, a log level and a trace do not",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.resource("library://shelf", { name: "shelf" }, (_, { meta }) => `of ${meta["acme.example/tenant"]}`);
    const client = await connect(server, { cache: { now } });
    const read = async (options: Parameters<typeof client.readResource>[1]) =>
      (await client.readResource("library://shelf", options)).contents[0];

    const meta = { "acme.example/tenant": "north" };
    expect(await read({ meta })).toMatchObject({ text: "of north" });
    expect(await read({ meta: { "acme.example/tenant": "south" } })).toMatchObject({ text: "of south" });

    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const beside = { onProgress: () => expect.unreachable(), logLevel: "debug", timeoutMs: 50 } as const;
    const served = await client.listResources({ meta });
    server.resource("library://late", { name: "late" }, () => "late");
    expect(await client.listResources({ meta: { ...meta, traceparent }, ...beside })).toEqual(served);
  },
);

verifies(
  "caching:key:input-rounds",
  "a resource that asks who reads it asks again the next time",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.resource("library://loans", { name: "loans" }, async (_, context) => {
      const { content } = await context.elicit({ message: "Whose loans?", schema: z.object({ reader: z.string() }) });
      return `Loans of ${content?.reader}`;
    });
    const readers = ["Ada", "Bob"];
    const client = await connect(server, {
      cache: { now },
      elicit: async () => ({ action: "accept", content: { reader: String(readers.shift()) } }),
    });

    for (const reader of ["Ada", "Bob"]) {
      const { contents } = await client.readResource("library://loans");
      expect(contents).toEqual([{ uri: "library://loans", text: `Loans of ${reader}` }]);
    }
    expect(wire.methods("client").filter((method) => method === "resources/read")).toHaveLength(4);
  },
);

verifies(
  "caching:scope:private",
  "the server is asked again when another user logs in, and when another user's client shares the store",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let reads = 0;
    server.resource("library://loans", { name: "loans" }, () => `reading ${++reads}`);
    const shared = { now, store: new InMemoryCacheStore(), serverKey: "library" };
    let user = "ada";
    const mine = await connect(server, { cache: { ...shared, authContext: () => user } });
    const hers = await connect(server, { cache: { ...shared, authContext: () => "eve" } });
    const read = async (client: typeof mine) => (await client.readResource("library://loans")).contents[0];

    expect(await read(mine)).toMatchObject({ text: "reading 1" });
    user = "bob";
    expect(await read(mine)).toMatchObject({ text: "reading 2" });
    expect(await read(hers)).toMatchObject({ text: "reading 3" });
    user = "ada";
    expect(await read(mine)).toMatchObject({ text: "reading 1" });
  },
);

verifies(
  "caching:scope:headers",
  "a client whose token changes, or whose call brings another one, asks the server again",
  async () => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let reads = 0;
    server.resource("library://loans", { name: "loans" }, () => `reading ${++reads}`);
    await using host = await hostHttp(server);
    let token = "ada";
    const headers = () => ({ authorization: `Bearer ${token}` });
    const options = { name: "c", version: "1.0.0", revision: "2026-07-28", cache: { now } } as const;
    await using client = await Client.connect({ url: host.url, headers }, options);
    const read = async (own: Record<string, string> = {}) =>
      (await client.readResource("library://loans", { headers: own })).contents[0];

    expect(await read()).toMatchObject({ text: "reading 1" });
    expect(await read()).toMatchObject({ text: "reading 1" });
    token = "bob";
    expect(await read()).toMatchObject({ text: "reading 2" });
    expect(await read({ Authorization: "Bearer eve" })).toMatchObject({ text: "reading 3" });
    expect(await read({ "x-api-key": "k" })).toMatchObject({ text: "reading 4" });
    token = "ada";
    expect(await read()).toMatchObject({ text: "reading 1" });
  },
);

verifies("caching:scope:any-header", "another API key asks the server again, and another trace does not", async () => {
  const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
  let reads = 0;
  server.resource("library://loans", { name: "loans" }, () => `reading ${++reads}`);
  await using host = await hostHttp(server);
  const options = { name: "c", version: "1.0.0", revision: "2026-07-28", cache: { now } } as const;
  await using client = await Client.connect(host.url, options);
  const read = async (headers: Record<string, string>) =>
    (await client.readResource("library://loans", { headers })).contents[0];

  expect(await read({ "x-api-key": "a", "x-request-id": "1" })).toMatchObject({ text: "reading 1" });
  expect(await read({ "X-API-Key": "a", "x-request-id": "2" })).toMatchObject({ text: "reading 1" });
  expect(await read({ "x-api-key": "b" })).toMatchObject({ text: "reading 2" });
});

verifies(
  "caching:scope:own-fetch",
  "a fetch that adds a token asks the server for what is private, until authContext names the user",
  async () => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let reads = 0;
    server.resource("library://loans", { name: "loans" }, () => `reading ${++reads}`);
    server.resource("library://hours", { name: "hours", cache: { cacheScope: "public" } }, () => `reading ${++reads}`);
    await using host = await hostHttp(server);
    let user = "ada";
    const signed: Fetch = (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${user}` } });
    const target = { url: host.url, fetch: signed };
    const read = async (from: Client, uri: string) => (await from.readResource(uri)).contents[0];
    const unnamed = await Client.connect(target, { ...modern, cache: { now } });
    const named = await Client.connect(target, { ...modern, cache: { now, authContext: () => user } });

    expect(await read(unnamed, "library://loans")).toMatchObject({ text: "reading 1" });
    user = "bob";
    expect(await read(unnamed, "library://loans")).toMatchObject({ text: "reading 2" });
    expect(await read(unnamed, "library://hours")).toMatchObject({ text: "reading 3" });
    expect(await read(unnamed, "library://hours")).toMatchObject({ text: "reading 3" });
    expect(await read(named, "library://loans")).toMatchObject({ text: "reading 4" });
    expect(await read(named, "library://loans")).toMatchObject({ text: "reading 4" });
    await unnamed.close();
    await named.close();
  },
);

verifies(
  "caching:scope:headers",
  "a token that changes between the look into the cache and the sending is not mixed up",
  async () => {
    await using server = await RawHttpServer.start();
    const tokens = ["ada", "bob", "ada"];
    const { client } = await connectModern(server, {
      http: { headers: () => ({ authorization: String(tokens.shift()) }) },
      client: { cache: { now } },
    });
    const answer = { resultType: "complete", tools: [], ttlMs: 1_000, cacheScope: "private" };
    for (const token of ["ada", "bob"]) {
      const listed = client.listTools();
      const call = await server.next();
      expect(call.header("authorization")).toBe(token);
      call.result(answer);
      await listed;
    }
    await client.listTools();
    expect(server.log).toEqual(["POST tools/list", "POST tools/list"]);
    await client.close();
  },
);

verifies(
  "caching:scope:public",
  "a public result that one user's client has read is served to another user's client from the shared store",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ...hints, cacheScope: "public" } });
    let reads = 0;
    server.resource("library://hours", { name: "hours" }, () => `reading ${++reads}`);
    const shared = { now, store: new InMemoryCacheStore(), serverKey: "library" };

    for (const user of ["ada", "bob"]) {
      const client = await connect(server, { cache: { ...shared, authContext: () => user } });
      const { contents } = await client.readResource("library://hours");
      expect(contents).toEqual([{ uri: "library://hours", text: "reading 1" }]);
    }
  },
);

verifies(
  "caching:scope:unnamed",
  "a shared store passes nothing public from server to server, and nothing private from client to client",
  async ({ connect }) => {
    const store = new InMemoryCacheStore();
    for (const [cacheScope, names] of [
      ["public", {}],
      ["private", { serverKey: "library" }],
    ] as const) {
      for (const city of ["Bath", "Lyme"]) {
        const server = new McpServer({ name: "library", version: "1.0.0", cache: { ...hints, cacheScope } });
        server.resource("library://city", { name: "city" }, () => city);
        const client = await connect(server, { cache: { now, store, ...names } });
        const { contents } = await client.readResource("library://city");
        expect(contents).toEqual([{ uri: "library://city", text: city }]);
      }
    }
  },
);

verifies(
  "caching:middleware",
  "a middleware counts the calls that the cache answers, and the shelf that it adds is part of the question",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    const client = await connect(server, { cache: { now } });
    const opening = wire.methods("client").length;
    let calls = 0;
    let shelf = "a";
    client.use(({ params }, next) => {
      calls += 1;
      return next({ ...params, shelf });
    });

    for (const given of ["a", "a", "b", "a"]) {
      shelf = given;
      await client.listTools();
    }

    expect(calls).toBe(4);
    expect(wire.methods("client").slice(opening)).toEqual(["tools/list", "tools/list"]);
  },
);

verifies(
  "caching:output-schemas",
  "a client that has its tools from another's cache refuses output that breaks their schema",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ...hints, cacheScope: "public" } });
    server.tool("count", { output: z.object({ books: z.number() }) }, () => ({ books: 3 }));
    const shared = { now, store: new InMemoryCacheStore(), serverKey: "library" };
    await (await connect(server, { cache: shared })).listTools();
    const client = await connect(server, { cache: shared });
    client.use(async (call, next) => {
      const result = await next(call.params);
      return call.method === "tools/call" ? { content: [], structuredContent: { books: "many" } } : result;
    });

    await client.listTools();

    await expect(client.callTool("count")).rejects.toMatchObject({ code: "invalid-result" });
    expect(wire.methods("client").filter((method) => method === "tools/list")).toHaveLength(1);
  },
);
