import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { type Body, verifies } from "../../src/verifies.js";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server that has something of each kind. */
function shop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.tool("buy", {}, mustNotRun);
  server.prompt("haggle", {}, mustNotRun);
  server.resource("shop://stock", { name: "stock" }, mustNotRun);
  return server;
}

/** Two clients that asked for nothing are each told of every change of one list. */
function tellsEverybody(method: string, changes: ((server: McpServer) => void)[]): Body {
  return async ({ connect, wire }) => {
    const server = shop();
    const clients = [await connect(server), await connect(server)];

    for (const change of changes) {
      change(server);
      for (const client of clients) await client.ping();
    }

    const notifications = wire.from("server").filter((message) => "method" in message);
    const expected = { jsonrpc: "2.0", method, params: {} };
    expect(notifications).toEqual([...changes, ...changes].map(() => expected));
  };
}

verifies(
  "tools:list-changed",
  "two legacy clients each get one notification for each change of the tools",
  tellsEverybody("notifications/tools/list_changed", [
    ({ announce }) => announce.toolsChanged(),
    (server) => void server.tool("return", {}, mustNotRun),
  ]),
);

verifies(
  "prompts:list-changed",
  "two legacy clients each get one notification for each change of the prompts",
  tellsEverybody("notifications/prompts/list_changed", [
    ({ announce }) => announce.promptsChanged(),
    (server) => void server.prompt("complain", {}, mustNotRun),
  ]),
);

verifies(
  "resources:list-changed",
  "two legacy clients each get one notification for each change of the resources and templates",
  tellsEverybody("notifications/resources/list_changed", [
    ({ announce }) => announce.resourcesChanged(),
    (server) => void server.resource("shop://prices", { name: "prices" }, mustNotRun),
    (server) => void server.resourceTemplate("shop://shelf/{number}", { name: "shelf" }, mustNotRun),
  ]),
);

verifies(
  "subscriptions:legacy:after-initialized",
  "a change before the client is ready is not told, one after is told once, however often it says so",
  async ({ playClient, revision }) => {
    const server = shop();
    const peer = await playClient(server);
    await peer.request(1, "initialize", {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: "slow", version: "1.0.0" },
    });

    await peer.request(2, "resources/subscribe", { uri: "shop://stock" });
    await peer.notify("notifications/roots/list_changed");
    server.announce.toolsChanged();
    server.announce.resourceUpdated("shop://stock");
    expect(await peer.drain()).toEqual([]);
    await peer.notify("notifications/initialized");
    await peer.notify("notifications/initialized");
    expect(await peer.drain()).toEqual([]);
    server.announce.toolsChanged();
    server.announce.resourceUpdated("shop://stock");

    expect(await peer.drain()).toEqual([
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} },
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "shop://stock" } },
    ]);
  },
);

verifies(
  "subscriptions:legacy:announced-only",
  "prompts that come after the handshake stay unannounced there, and are announced to the next client",
  async ({ connect }) => {
    const server = new McpServer({
      name: "shop",
      version: "1.0.0",
      capabilities: { resources: { listChanged: false } },
    });
    server.tool("buy", {}, mustNotRun);
    const toldOf = async () => {
      const methods: string[] = [];
      const client = await connect(server);
      client.onNotification("*", (_params, method) => methods.push(method));
      return { client, methods };
    };

    const early = await toldOf();
    server.prompt("haggle", {}, mustNotRun);
    await early.client.ping();
    const late = await toldOf();
    server.announce.promptsChanged();
    server.announce.resourcesChanged();
    server.announce.toolsChanged();
    await early.client.ping();
    await late.client.ping();

    expect(early.methods).toEqual(["notifications/tools/list_changed"]);
    expect(late.methods).toEqual(["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
  },
);

verifies(
  "client:list-changed:capability-gated",
  "a subscription to kinds that a legacy server does not announce sends nothing, and hears of no such change",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: {}, prompts: { listChanged: true }, resources: {} });
    const changes = await client.listen({
      tools: true,
      prompts: true,
      resources: true,
      resource: ["shop://stock"],
    });

    await peer.notify("notifications/tools/list_changed");
    await peer.notify("notifications/resources/list_changed");
    await peer.notify("notifications/resources/updated", { uri: "shop://stock" });
    await peer.notify("notifications/prompts/list_changed");

    expect(changes.honored).toEqual({ prompts: true });
    expect(await changes[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { kind: "prompts" } });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  ["resources:subscribe", "resources:unsubscribe"],
  "resources/subscribe and resources/unsubscribe answer an empty result, for known and unknown URIs and when repeated",
  async ({ connect }) => {
    const client = await connect(shop());

    for (const uri of ["shop://stock", "shop://stock", "shop://nowhere"]) {
      expect(await client.request("resources/subscribe", { uri })).toEqual({});
    }
    for (const uri of ["shop://stock", "shop://stock", "shop://never"]) {
      expect(await client.request("resources/unsubscribe", { uri })).toEqual({});
    }
  },
);

verifies(
  "resources:subscribe:updated",
  "each of two clients is told of the resource that it subscribed to, with its URI alone",
  async ({ connect, wire }) => {
    const server = shop();
    const [first, second] = [await connect(server), await connect(server)];
    await first.request("resources/subscribe", { uri: "shop://stock" });
    await second.request("resources/subscribe", { uri: "shop://prices" });

    for (const uri of ["shop://stock", "shop://prices", "shop://orders"]) server.announce.resourceUpdated(uri);
    await first.ping();
    await second.ping();

    const told = wire.connections.map(({ entries }) =>
      entries.flatMap(({ from, message }) => (from === "server" && "method" in message ? [message] : [])),
    );
    const update = { jsonrpc: "2.0", method: "notifications/resources/updated" };
    expect(told).toEqual([
      [{ ...update, params: { uri: "shop://stock" } }],
      [{ ...update, params: { uri: "shop://prices" } }],
    ]);
  },
);

verifies(
  "resources:subscribe:capability-required",
  "resources/subscribe and resources/unsubscribe do not exist with subscribe turned off, and a subscription sends nothing",
  async ({ connect, connection, wire }) => {
    const server = new McpServer({ name: "shop", version: "1.0.0", capabilities: { resources: { subscribe: false } } });
    server.resource("shop://stock", { name: "stock" }, mustNotRun);
    const client = await connect(server);

    expect((await client.listen({ resource: ["shop://stock"] })).honored).toEqual({});
    const resources = connection === "http-stateless" ? {} : { listChanged: true, subscribe: false };
    expect(client.serverCapabilities).toEqual({ resources });
    expect(wire.methods("client")).not.toContain("resources/subscribe");
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      await expect(client.request(method, { uri: "shop://stock" })).rejects.toMatchObject({ code: -32601 });
    }
  },
);

verifies(
  "resources:subscribe:once-per-client",
  "three subscriptions to a resource subscribe once, and the last to close unsubscribes",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const filter = { resource: ["shop://stock"] };
    const [first, second] = await Promise.all([client.listen(filter), client.listen(filter)]);
    const third = await client.listen(filter);
    const asked = () => wire.methods("client").filter((method) => method.startsWith("resources/"));

    await first.close();
    await third.close();
    expect(asked()).toEqual(["resources/subscribe"]);
    server.announce.resourceUpdated("shop://stock");
    expect(await second[Symbol.asyncIterator]().next()).toMatchObject({ value: { uri: "shop://stock" } });
    await second.close();
    expect(asked()).toEqual(["resources/subscribe", "resources/unsubscribe"]);
    await client.listen(filter);
    expect(asked()).toEqual(["resources/subscribe", "resources/unsubscribe", "resources/subscribe"]);
  },
);

verifies(
  "resources:subscribe:refused",
  "listen with a refused resource unsubscribes from the granted one and rejects with the refusal",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ resources: { subscribe: true } });
    const rejections: unknown[] = [];
    const listening = client.listen({ resource: ["a://secret", "a://open"] }).catch((error) => rejections.push(error));

    await peer.respondError(await peer.receive(), -32002, "Resource not found", { uri: "a://secret" });
    await peer.respond(await peer.receive(), {});
    const back: JsonObject = await peer.receive();
    expect(back).toMatchObject({ method: "resources/unsubscribe", params: { uri: "a://open" } });
    await peer.respondError(back, -32603, "Not now");
    await listening;

    expect(rejections).toMatchObject([{ name: "ProtocolError", code: -32002, data: { uri: "a://secret" } }]);
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "resources:unsubscribe:stops-updates",
  "unsubscribing from one of two resources leaves only the other announced",
  async ({ connect }) => {
    const server = shop();
    const client = await connect(server);
    const updated: unknown[] = [];
    client.onNotification("notifications/resources/updated", ({ uri }) => updated.push(uri));
    const updateBoth = async () => {
      server.announce.resourceUpdated("shop://stock");
      server.announce.resourceUpdated("shop://prices");
      await client.ping();
    };

    await client.request("resources/subscribe", { uri: "shop://stock" });
    await client.request("resources/subscribe", { uri: "shop://prices" });
    await updateBoth();
    await client.request("resources/unsubscribe", { uri: "shop://stock" });
    await updateBoth();

    expect(updated).toEqual(["shop://stock", "shop://prices", "shop://prices"]);
  },
);

verifies(
  "resources:subscribe:not-served",
  "resources of a handler's own are announced without subscribing, and with it once that has a handler too",
  async ({ connect }) => {
    const server = new McpServer({ name: "gateway", version: "1.0.0" });
    server.handle("resources/list", () => ({ resources: [] }));
    server.handle("resources/read", () => ({ contents: [] }));
    const plain = await connect(server);
    server.handle("resources/subscribe", () => ({}));
    const subscribing = await connect(server);

    expect(plain.serverCapabilities?.resources).toEqual({ listChanged: true });
    expect(subscribing.serverCapabilities?.resources).toEqual({ listChanged: true, subscribe: true });
  },
);
