import { McpServer, type McpServerOptions } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { type Body, verifies } from "../../src/verifies.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const EVERYTHING = { tools: true, prompts: true, resources: true, resource: ["shop://stock"] };

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server that has something of each kind. */
function shop(options: Partial<McpServerOptions> = {}): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0", ...options });
  server.tool("buy", {}, mustNotRun);
  server.prompt("haggle", {}, mustNotRun);
  server.resource("shop://stock", { name: "stock" }, mustNotRun);
  return server;
}

function changeEverything({ announce }: McpServer): void {
  announce.toolsChanged();
  announce.promptsChanged();
  announce.resourcesChanged();
  announce.resourceUpdated("shop://stock");
  announce.resourceUpdated("shop://prices");
}

/** The notifications among messages, as method and subscription. */
function told(messages: readonly object[]): unknown[] {
  return messages.flatMap((message) => {
    const { method, params } = message as { method?: string; params?: { _meta?: JsonObject } };
    return method === undefined ? [] : [[method, params?._meta?.[SUBSCRIPTION_ID]]];
  });
}

verifies(
  "subscriptions:listen:ack-first-stamped",
  "each subscription is acknowledged before anything else of it, under an id of the same type",
  async ({ playClient, params }) => {
    const server = shop();
    // Something always changes just as a request arrives.
    server.use((call, next) => {
      if (call.direction === "inbound") server.announce.toolsChanged();
      return next();
    });
    const peer = await playClient(server);
    const listen = (id: string | number) =>
      peer.send({
        jsonrpc: "2.0",
        id,
        method: "subscriptions/listen",
        params: params({ notifications: { toolsListChanged: true, resourceSubscriptions: ["shop://stock"] } }),
      });

    await listen(7);
    await listen("seven");
    await peer.drain();
    server.announce.resourceUpdated("shop://stock");

    const update = { jsonrpc: "2.0", method: "notifications/resources/updated" };
    expect(await peer.drain()).toEqual([
      { ...update, params: { uri: "shop://stock", _meta: { [SUBSCRIPTION_ID]: 7 } } },
      { ...update, params: { uri: "shop://stock", _meta: { [SUBSCRIPTION_ID]: "seven" } } },
    ]);
    await listen(0);
    const [first] = (await peer.drain()).filter((message) => JSON.stringify(message).includes(`Id":0`));
    expect(first).toEqual({
      jsonrpc: "2.0",
      method: ACKNOWLEDGED,
      params: {
        _meta: { [SUBSCRIPTION_ID]: 0 },
        notifications: { toolsListChanged: true, resourceSubscriptions: ["shop://stock"] },
      },
    });
  },
);

verifies(
  "subscriptions:listen:per-stream-filter",
  "each of four subscriptions is told of its own changes among five, and of no other",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    await client.listen({ tools: true });
    await client.listen({ resource: ["shop://stock"] });
    await client.listen({});
    await client.listen({ prompts: true, resources: true, tools: false });

    changeEverything(server);
    await client.listTools();

    expect(told(wire.from("server"))).toEqual([
      [ACKNOWLEDGED, "listen-1"],
      [ACKNOWLEDGED, "listen-2"],
      [ACKNOWLEDGED, "listen-3"],
      [ACKNOWLEDGED, "listen-4"],
      ["notifications/tools/list_changed", "listen-1"],
      ["notifications/prompts/list_changed", "listen-4"],
      ["notifications/resources/list_changed", "listen-4"],
      ["notifications/resources/updated", "listen-2"],
    ]);
  },
);

verifies(
  "subscriptions:listen:honored-filter-narrows-to-advertised",
  "a server without prompts, and with what it turned off, honors the rest",
  async ({ connect, wire }) => {
    const capabilities = { resources: { subscribe: false }, tools: { listChanged: false } };
    const server = new McpServer({ name: "quiet", version: "1.0.0", capabilities });
    const client = await connect(server);

    const changes = await client.listen({ ...EVERYTHING, resource: ["shop://stock", "shop://stock"] });
    changeEverything(server);
    await client.listTools();

    expect(changes.honored).toEqual({ resources: true });
    expect(wire.from("server")).toContainEqual({
      jsonrpc: "2.0",
      method: ACKNOWLEDGED,
      params: { _meta: { [SUBSCRIPTION_ID]: "listen-1" }, notifications: { resourcesListChanged: true } },
    });
    expect(wire.methods("server")).toEqual([ACKNOWLEDGED, "notifications/resources/list_changed"]);
  },
);

verifies(
  "subscriptions:listen:none-without",
  "a client that only calls is told of no change",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);

    await client.listTools();
    changeEverything(server);
    server.tool("return", {}, mustNotRun);
    await client.listTools();

    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  ["subscriptions:listen:graceful-close", "subscriptions:listen:result-alone"],
  "a server that ends its subscriptions answers each listen request last, and sends no cancellation",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const subscriptions = [await client.listen({ tools: true }), await client.listen({ tools: true })];
    server.announce.toolsChanged();
    await client.listTools();

    server.endSubscriptions();
    server.announce.toolsChanged();
    await client.listTools();

    for (const changes of subscriptions) {
      const heard: string[] = [];
      for await (const { kind } of changes) heard.push(kind);
      expect(heard).toEqual(["tools"]);
    }
    const result = (id: string) => ({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", _meta: expect.objectContaining({ [SUBSCRIPTION_ID]: id }) },
    });
    const answers = wire.from("server").filter((message) => "id" in message && /^listen/.test(`${message.id}`));
    expect(answers).toEqual([result("listen-1"), result("listen-2")]);
    expect(wire.methods("server")).toEqual([
      ACKNOWLEDGED,
      ACKNOWLEDGED,
      "notifications/tools/list_changed",
      "notifications/tools/list_changed",
    ]);
  },
);

verifies(
  "subscriptions:listen:client-cancels",
  "a closed subscription sends one cancellation for its listen request, which gets no answer and no more changes",
  async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const changes = await client.listen({ tools: true });

    await changes.close();
    server.announce.toolsChanged();
    await client.listTools();

    const cancellations = wire
      .from("client")
      .filter((message) => "method" in message && /cancelled/.test(message.method));
    expect(cancellations).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "listen-1", reason: expect.any(String) },
      },
    ]);
    expect(wire.methods("server")).toEqual([ACKNOWLEDGED]);
    expect(wire.from("server").filter((message) => "id" in message && message.id === "listen-1")).toEqual([]);
  },
);

/** A change of one list, made by the server or by registering, arrives tagged with the subscription. */
function tellsOf(method: string, kind: string, changes: ((server: McpServer) => void)[]): Body {
  return async ({ connect, wire }) => {
    const server = shop();
    const client = await connect(server);
    const heard = (await client.listen(EVERYTHING))[Symbol.asyncIterator]();

    for (const change of changes) {
      change(server);
      expect(await heard.next()).toEqual({ done: false, value: { kind } });
    }

    const notifications = wire.from("server").filter((message) => "method" in message && message.method === method);
    const tagged = { jsonrpc: "2.0", method, params: { _meta: { [SUBSCRIPTION_ID]: "listen-1" } } };
    expect(notifications).toEqual(changes.map(() => tagged));
  };
}

verifies(
  "tools:listen:list-changed",
  "each change of the tools is one notification that names the subscription and no more",
  tellsOf("notifications/tools/list_changed", "tools", [
    ({ announce }) => announce.toolsChanged(),
    (server) => void server.tool("return", {}, mustNotRun),
  ]),
);

verifies(
  "prompts:listen:list-changed",
  "each change of the prompts is one notification that names the subscription and no more",
  tellsOf("notifications/prompts/list_changed", "prompts", [
    ({ announce }) => announce.promptsChanged(),
    (server) => void server.prompt("complain", {}, mustNotRun),
  ]),
);

verifies(
  "resources:listen:list-changed",
  "each change of the resources and templates is one notification that names the subscription and no more",
  tellsOf("notifications/resources/list_changed", "resources", [
    ({ announce }) => announce.resourcesChanged(),
    (server) => void server.resource("shop://prices", { name: "prices" }, mustNotRun),
    (server) => void server.resourceTemplate("shop://shelf/{number}", { name: "shelf" }, mustNotRun),
  ]),
);
