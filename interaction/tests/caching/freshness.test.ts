import type { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

const hints = { ttlMs: 1_000, cacheScope: "private" } as const;

verifies(
  "caching:off-by-default",
  "a client without a cache sends a request for each of two listings",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    const client = await connect(server);

    await client.listTools();
    await client.listTools();

    expect(wire.methods("client").filter((method) => method === "tools/list")).toHaveLength(2);
  },
);

verifies("caching:legacy", "a legacy server is asked twice, whatever hints it sends", async ({ openServer, wire }) => {
  const { peer, client } = await openServer({ tools: {} }, { cache: true });

  for (const name of ["old", "new"]) {
    const listing = client.listTools();
    const tools = [{ name, inputSchema: { type: "object" } }];
    await peer.respond(await peer.receive(), { resultType: "complete", tools, ...hints });
    expect((await listing).tools).toEqual(tools);
  }

  expect(wire.methods("client").filter((method) => method === "tools/list")).toHaveLength(2);
});

verifies(
  "caching:methods",
  "six methods that a client asks twice reach the server once, and all others twice",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    server.prompt("recommend", {}, () => "Recommend a book.");
    server.resource("library://catalog", { name: "catalog" }, () => "Books");
    server.resourceTemplate("library://{title}", { name: "book", complete: { title: () => ["Emma"] } }, () => "Book");
    const client = await connect(server, { cache: { now: () => 0 } });
    const opening = wire.methods("client").length;

    for (let time = 0; time < 2; time += 1) {
      await client.request("server/discover");
      await client.listTools();
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource("library://catalog");
      await client.callTool("lend");
      await client.getPrompt("recommend");
      await client.complete({
        ref: { type: "ref/resource", uri: "library://{title}" },
        argument: { name: "title", value: "" },
      });
    }

    const first = ["tools/call", "prompts/get", "completion/complete"];
    const kept = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];
    expect(wire.methods("client").slice(opening)).toEqual(["server/discover", ...kept, ...first, ...first]);
  },
);

verifies(
  "caching:methods:negotiation",
  "a server is asked what it is by each client that opens a connection, and again by whoever wants to know",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ...hints, cacheScope: "public" } });
    const first = await connect(server, { cache: true });
    await first.request("server/discover");
    await first.request("server/discover");

    expect(wire.methods("client")).toEqual(["server/discover", "server/discover"]);
  },
);

verifies(
  "caching:fresh",
  "a list is served from the cache until its time is over, and then by the server",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ttlMs: 1_000 } });
    server.tool("lend", {}, () => "lent");
    let now = 5_000;
    const client = await connect(server, { cache: { now: () => now } });
    const first = await client.listTools();
    server.tool("return", {}, () => "returned");

    now = 5_999;
    expect(await client.listTools()).toEqual(first);
    now = 6_000;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["lend", "return"]);
    now = 6_999;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["lend", "return"]);
    expect(wire.methods("client").filter((method) => method === "tools/list")).toHaveLength(2);
  },
);

verifies(
  "caching:fresh:no-polling",
  "a client does not ask for an expired list by itself, even a day later",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    const client = await connect(server, { cache: true });
    const asked = () => wire.methods("client").filter((method) => method === "tools/list").length;
    vi.useFakeTimers();
    try {
      await client.listTools();
      await vi.advanceTimersByTimeAsync(24 * 3_600_000);
      expect(asked()).toBe(1);
      await client.listTools();
      expect(asked()).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  },
);

verifies(
  "caching:ttl:none",
  "a result that may be kept for no time is asked for every time",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: {} }, { cache: { now: () => 0 } });

    for (const hint of [{ ttlMs: 0 }, { ttlMs: -1_000 }, {}, { ttlMs: 0 }]) {
      const listing = client.listTools();
      const answer = { resultType: "complete", tools: [], cacheScope: "public", ...hint };
      await peer.respond(await peer.receive(), answer);
      expect(await listing).toEqual(answer);
    }
  },
);

verifies(
  "caching:stale-on-error",
  "a kept list is served and reported as stale when the connection is lost, but not in place of a server's error",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let isBroken = false;
    server.tool("lend", {}, () => "lent");
    server.resource("library://catalog", { name: "catalog" }, () => {
      if (isBroken) throw new ProtocolError(-32603, "The catalog is being bound");
      return "Books";
    });
    let now = 0;
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const client = await connect(server, { cache: { now: () => now, staleOnError: true }, onError });
    const tools = await client.listTools();
    const catalog = await client.readResource("library://catalog");
    now += 1_000;
    isBroken = true;

    await expect(client.readResource("library://catalog")).rejects.toMatchObject({ code: -32603 });
    expect(errors).toEqual([]);
    await client.close();
    expect(await client.listTools()).toEqual(tools);
    expect(await client.readResource("library://catalog")).toEqual(catalog);
    await expect(client.listPrompts()).rejects.toMatchObject({ code: "connection-closed" });

    const stale = (method: string) =>
      expect.objectContaining({ code: "connection-closed", message: expect.stringContaining(method) });
    expect(errors).toEqual([stale("tools/list"), stale("resources/read")]);
  },
);

verifies(
  "caching:stale-on-error:off",
  "a call over a lost connection rejects, although a stale result is kept",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    let now = 0;
    const client = await connect(server, { cache: { now: () => now } });
    await client.listTools();
    now += 1_000;
    await client.close();

    await expect(client.listTools()).rejects.toMatchObject({ code: "connection-closed" });
  },
);

verifies(
  "caching:call:fresh",
  "a fresh call asks the server, and its new list replaces the kept one for every caller",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.tool("lend", {}, () => "lent");
    const client = await connect(server, { cache: { now: () => 0 } });
    const names = async (options = {}) => (await client.listTools(options)).tools.map(({ name }) => name);
    expect(await names()).toEqual(["lend"]);
    server.tool("return", {}, () => "returned");

    expect(await names()).toEqual(["lend"]);
    expect(await names({ fresh: true })).toEqual(["lend", "return"]);
    expect(await names()).toEqual(["lend", "return"]);
    expect((await client.request("tools/list")).tools).toHaveLength(2);
  },
);

verifies(
  "caching:copies",
  "a change that one caller makes to a result is not seen by the next caller",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.resource("library://catalog", { name: "catalog" }, () => "Books");
    const client = await connect(server, { cache: { now: () => 0 } });
    const readAndSpoil = async (reader: Client) => {
      const { contents } = await reader.readResource("library://catalog");
      const seen = structuredClone(contents);
      contents.push({ uri: "library://forged", text: "Forged" });
      return seen;
    };

    const genuine = [{ uri: "library://catalog", text: "Books" }];
    for (let time = 0; time < 3; time += 1) expect(await readAndSpoil(client)).toEqual(genuine);
  },
);
