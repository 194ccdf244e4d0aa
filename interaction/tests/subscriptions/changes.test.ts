import type { ServerChange, Subscription } from "parley-mcp/client";
import { type AnnouncedChange, type ChangeBus, InMemoryChangeBus, McpServer } from "parley-mcp/server";
import type { ScriptedPeer } from "parley-mcp/testing";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server that has something of each kind. */
function shop(options: { changeBus?: ChangeBus; onError?: (error: Error) => void } = {}): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0", ...options });
  server.tool("buy", {}, mustNotRun);
  server.prompt("haggle", {}, mustNotRun);
  server.resource("shop://stock", { name: "stock" }, mustNotRun);
  return server;
}

/** Reads the next change. */
function reader(changes: Subscription): () => Promise<ServerChange | undefined> {
  const iterator = changes[Symbol.asyncIterator]();
  return async () => (await iterator.next()).value;
}

const isListChange = (method: string) => method.endsWith("list_changed");

verifies(
  "subscriptions:both-eras",
  "one loop over a subscription hears of all four kinds of change",
  async ({ connect }) => {
    const server = shop();
    const client = await connect(server);
    const filter = { tools: true, prompts: true, resources: true, resource: ["shop://stock"] };

    const changes = await client.listen(filter);
    server.announce.resourceUpdated("shop://stock");
    server.announce.toolsChanged();
    server.announce.promptsChanged();
    server.announce.resourcesChanged();
    const heard: ServerChange[] = [];
    for await (const change of changes) if (heard.push(change) === 4) break;

    expect(changes.honored).toEqual(filter);
    expect(heard).toEqual([
      { kind: "resource", uri: "shop://stock" },
      { kind: "tools" },
      { kind: "prompts" },
      { kind: "resources" },
    ]);
  },
);

verifies(
  "resources:updated-notification",
  "an update of a watched resource arrives with its URI, and one of another resource does not",
  async ({ connect }) => {
    const server = shop();
    const client = await connect(server);
    const updated: unknown[] = [];
    client.onNotification("notifications/resources/updated", ({ uri }) => updated.push(uri));
    const next = reader(await client.listen({ resource: ["shop://stock", "shop://orders?of=today"] }));

    server.announce.resourceUpdated("shop://prices");
    server.announce.resourceUpdated("shop://orders?of=today");
    server.announce.resourceUpdated("shop://stock");

    expect(await next()).toEqual({ kind: "resource", uri: "shop://orders?of=today" });
    expect(await next()).toEqual({ kind: "resource", uri: "shop://stock" });
    expect(updated).toEqual(["shop://orders?of=today", "shop://stock"]);
  },
);

verifies(
  "resources:updated-notification:sub-resource",
  "a change beneath a watched resource is told by its own URI, and one that only begins alike is not told",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ resources: { subscribe: true } });
    const [changes, meta] = await Promise.all([
      client.listen({ resource: ["files://a", "files://b/"] }),
      grant(peer, era),
    ]);
    const next = reader(changes);

    for (const uri of ["files://a/1.txt", "files://ab", "files://b", "files://b/2.txt", "files://c", "files://a"])
      await peer.notify("notifications/resources/updated", { uri, ...meta });

    for (const uri of ["files://a/1.txt", "files://b/2.txt", "files://a"])
      expect(await next()).toEqual({ kind: "resource", uri });
  },
);

verifies(
  "client:bounds:unread-changes",
  "five of nine unread changes with 200,000 characters of URI are told by their own URI, and the rest as their parent",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ resources: { subscribe: true } });
    const [changes, meta] = await Promise.all([
      client.listen({ resource: ["files://a", "files://b"] }),
      grant(peer, era),
    ]);
    const next = reader(changes);
    const uris = Array.from({ length: 9 }, (_, index) => `files://a/${index}${"x".repeat(200_000)}`);

    for (const uri of [...uris, "files://b"]) await peer.notify("notifications/resources/updated", { uri, ...meta });

    for (const uri of [...uris.slice(0, 5), "files://a", "files://b"])
      expect(await next()).toEqual({ kind: "resource", uri });
  },
);

/** Answers the opening of a subscription to two resources; returns what the notifications of it carry. */
async function grant(peer: ScriptedPeer, era: "legacy" | "modern"): Promise<object> {
  const first = await peer.receive();
  if (era === "legacy") {
    await peer.respond(first, {});
    await peer.respond(await peer.receive(), {});
    return {};
  }
  const meta = { _meta: { [SUBSCRIPTION_ID]: first.id } };
  await peer.notify("notifications/subscriptions/acknowledged", { notifications: {}, ...meta });
  return meta;
}

verifies(
  "mcpserver:register:post-connect",
  "each registration and removal is told, and the list that is fetched then shows it",
  async ({ connect }) => {
    const server = shop();
    const client = await connect(server);
    const next = reader(await client.listen({ tools: true, prompts: true, resources: true }));

    const tool = server.tool("return", {}, mustNotRun);
    expect(await next()).toEqual({ kind: "tools" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["buy", "return"]);
    tool.remove();
    expect(await next()).toEqual({ kind: "tools" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["buy"]);
    server.prompt("complain", {}, mustNotRun);
    expect(await next()).toEqual({ kind: "prompts" });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["haggle", "complain"]);
    server.resource("shop://prices", { name: "prices" }, mustNotRun);
    expect(await next()).toEqual({ kind: "resources" });
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(["stock", "prices"]);
    server.resourceTemplate("shop://shelf/{number}", { name: "shelf" }, mustNotRun);
    expect(await next()).toEqual({ kind: "resources" });
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(["shelf"]);
  },
);

verifies(
  "mcpserver:list-changed:debounce",
  "ten tools, a removal and two prompts of one turn are two notifications",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    await using changes = await client.listen({ tools: true, prompts: true });

    for (let count = 0; count < 10; count += 1) server.tool(`tool-${count}`, {}, mustNotRun);
    server.prompt("one", {}, mustNotRun);
    server.tool("passing", {}, mustNotRun).remove();
    server.prompt("two", {}, mustNotRun);
    await client.listTools();

    expect(changes.honored).toEqual({ tools: true, prompts: true });
    expect(wire.methods("server").filter(isListChange)).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
    ]);
  },
);

verifies(
  "client:list-changed:signal-only",
  "a client that is told of a change sends nothing",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const next = reader(await client.listen({ tools: true, resource: ["shop://stock"] }));
    const sentBefore = wire.from("client").length;

    server.announce.toolsChanged();
    server.announce.resourceUpdated("shop://stock");
    await next();
    await next();

    expect(wire.from("client")).toHaveLength(sentBefore);
  },
);

verifies(
  "subscriptions:listen:client:iteration",
  "a notification handler that throws and one that never ends keep no change from a subscription",
  async ({ connect }) => {
    const server = shop();
    const errors: Error[] = [];
    const client = await connect(server, { onError: (error) => void errors.push(error) });
    const handled: string[] = [];
    client.onNotification("*", (_params, method) => {
      handled.push(method);
      return new Promise(() => undefined);
    });
    client.onNotification("notifications/tools/list_changed", (_params, method) => {
      handled.push(method);
      throw new Error("not now");
    });
    const next = reader(await client.listen({ tools: true, prompts: true }));

    server.announce.toolsChanged();
    server.announce.promptsChanged();

    expect([await next(), await next()]).toEqual([{ kind: "tools" }, { kind: "prompts" }]);
    expect(handled.filter(isListChange)).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
    ]);
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "not now" } }]);
  },
);

verifies(
  "subscriptions:unread:kept-once",
  "five notifications that nobody read are three changes, in the order they first came",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const next = reader(await client.listen({ tools: true, prompts: true, resource: ["shop://stock"] }));

    const announcements = [
      server.announce.promptsChanged,
      () => server.announce.resourceUpdated("shop://stock"),
      server.announce.promptsChanged,
      server.announce.toolsChanged,
      () => server.announce.resourceUpdated("shop://stock"),
    ];
    for (const announce of announcements) {
      announce();
      await client.listTools();
    }
    expect(wire.methods("server").filter((method) => /list_changed|updated/.test(method))).toHaveLength(5);

    expect(await next()).toEqual({ kind: "prompts" });
    expect(await next()).toEqual({ kind: "resource", uri: "shop://stock" });
    server.announce.promptsChanged();
    expect(await next()).toEqual({ kind: "tools" });
    expect(await next()).toEqual({ kind: "prompts" });
  },
);

verifies(
  "subscriptions:bus:shared",
  "a registration on one server is announced by the other, to a client of either",
  async ({ connect }) => {
    const changeBus = new InMemoryChangeBus();
    const [first, second] = [shop({ changeBus }), shop({ changeBus })];
    const clients = [await connect(first), await connect(second)];
    const [nextOfFirst, nextOfSecond] = await Promise.all(
      clients.map(async (client) => reader(await client.listen({ tools: true, resource: ["shop://stock"] }))),
    );

    first.tool("return", {}, mustNotRun);
    second.announce.resourceUpdated("shop://stock");

    for (const next of [nextOfFirst, nextOfSecond]) {
      expect(await next?.()).toEqual({ kind: "tools" });
      expect(await next?.()).toEqual({ kind: "resource", uri: "shop://stock" });
    }
  },
);

verifies(
  "subscriptions:bus:missed",
  "a client hears of all lists and resources that it subscribed to after missed changes, and of no other",
  async ({ connect }) => {
    const changeBus = new InMemoryChangeBus();
    const client = await connect(shop({ changeBus }));
    const next = reader(await client.listen({ tools: true, resource: ["shop://stock", "shop://prices"] }));

    changeBus.publish({ kind: "missed" });

    const heard = [await next(), await next(), await next()];
    expect(heard).toContainEqual({ kind: "tools" });
    expect(heard).toContainEqual({ kind: "resource", uri: "shop://stock" });
    expect(heard).toContainEqual({ kind: "resource", uri: "shop://prices" });
    changeBus.publish({ kind: "tools" });
    expect(await next()).toEqual({ kind: "tools" });
  },
);

verifies(
  "subscriptions:bus:failure",
  "a bus that throws, or rejects, over one change still carries the next",
  async ({ connect }) => {
    const bus = new InMemoryChangeBus();
    const publish = (change: AnnouncedChange): void | Promise<void> => {
      if (change.kind === "tools") throw new Error("down");
      if (change.kind === "resource") return Promise.reject(new Error("gone"));
      return bus.publish(change);
    };
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const server = shop({ changeBus: { publish, subscribe: (listener) => bus.subscribe(listener) }, onError });
    const client = await connect(server);
    const next = reader(await client.listen({ tools: true, prompts: true, resource: ["shop://stock"] }));
    errors.length = 0;

    server.announce.toolsChanged();
    server.announce.resourceUpdated("shop://stock");
    server.announce.promptsChanged();

    expect(await next()).toEqual({ kind: "prompts" });
    expect(errors).toMatchObject([
      { code: "handler-failed", message: expect.stringContaining("the tools"), cause: { message: "down" } },
      { code: "handler-failed", message: expect.stringContaining("shop://stock"), cause: { message: "gone" } },
    ]);
  },
);
