import { InMemoryCacheStore } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

function shop() {
  const server = new McpServer({ name: "shop", version: "1.0.0", pageSize: 1, cache: { ttlMs: 60_000 } });
  server.tool("buy", {}, () => "bought");
  server.prompt("greet", {}, () => "Hello");
  server.resource("shop://stock", { name: "stock" }, () => "7");
  return server;
}

verifies(
  "client:list-changed:auto-refresh",
  "each list arrives whole, although its first page is in a cache that forgets nothing",
  async ({ connect }) => {
    const server = shop();
    const store = new InMemoryCacheStore();
    const unforgetting = { get: store.get.bind(store), set: store.set.bind(store), delete() {}, deleteGroup() {} };
    const client = await connect(server, { cache: { store: unforgetting } });
    await client.listTools();
    const [tools, prompts, resources] = [deferred<string[]>(), deferred<string[]>(), deferred<string[]>()];
    const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);
    await client.onToolsChanged((all) => tools.resolve(names(all)), { refresh: true });
    await client.onPromptsChanged((all) => prompts.resolve(names(all)), { refresh: true });
    await client.onResourcesChanged((all) => resources.resolve(names(all)), { refresh: true });

    server.tool("sell", {}, () => "sold");
    server.prompt("part", {}, () => "Bye");
    server.resource("shop://price", { name: "price" }, () => "9");

    expect(await tools.promise).toEqual(["buy", "sell"]);
    expect(await prompts.promise).toEqual(["greet", "part"]);
    expect(await resources.promise).toEqual(["stock", "price"]);
  },
);

verifies(
  "client:list-changed:callback-signal",
  "onToolsChanged without refresh calls back without a list, and calls no more after it is closed",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const calls = vi.fn();
    const called = deferred<void>();
    const subscription = await client.onToolsChanged((...given) => {
      calls(...given);
      called.resolve();
    });

    server.tool("sell", {}, () => "sold");
    await called.promise;
    await subscription.close();
    const heard = deferred<void>();
    await client.onToolsChanged(() => heard.resolve());
    server.tool("lend", {}, () => "lent");
    await heard.promise;

    expect(calls.mock.calls).toEqual([[undefined]]);
    expect(wire.methods("client")).not.toContain("tools/list");
  },
);

verifies(
  "client:list-changed:callback-gated",
  "a list whose changes are not announced never calls back, and another list does",
  async ({ connect }) => {
    const server = new McpServer({ name: "shop", version: "1.0.0", capabilities: { tools: { listChanged: false } } });
    server.tool("buy", {}, () => "bought");
    server.prompt("greet", {}, () => "Hello");
    const client = await connect(server);
    const heard = deferred<void>();
    const { honored } = await client.onToolsChanged(() => {
      throw new Error("nobody announced this");
    });
    await client.onPromptsChanged(() => heard.resolve());

    server.tool("sell", {}, () => "sold");
    server.prompt("part", {}, () => "Bye");
    await heard.promise;

    expect(honored).toEqual({});
  },
);

verifies(
  "client:list-changed:callback-failures",
  "a callback that throws is reported, and the next change calls back all the same",
  async ({ connect }) => {
    const server = shop();
    const failed = deferred<Error>();
    const client = await connect(server, { onError: (error) => failed.resolve(error) });
    const again = deferred<void>();
    const callback = vi.fn(() => {
      if (callback.mock.calls.length === 1) throw new Error("not today");
      again.resolve();
    });
    await client.onToolsChanged(callback);

    server.tool("sell", {}, () => "sold");
    expect(await failed.promise).toMatchObject({ code: "handler-failed", cause: { message: "not today" } });
    server.tool("lend", {}, () => "lent");
    await again.promise;
  },
);
