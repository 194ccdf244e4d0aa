import { ProtocolError } from "parley-mcp/client";
import { McpServer, type McpServerOptions } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

function shop(options: Partial<McpServerOptions> = {}): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0", ...options });
  server.tool("buy", {}, mustNotRun);
  server.resource("shop://stock", { name: "stock" }, mustNotRun);
  return server;
}

verifies(
  "subscriptions:listen:invalid-filter",
  "each malformed filter is refused with its path, and nothing comes before the refusal",
  async ({ openClient, params }) => {
    const peer = await openClient(shop());
    const malformed: [JsonObject, string][] = [
      [{}, "params.notifications"],
      [{ notifications: [] }, "params.notifications"],
      [{ notifications: { toolsListChanged: "yes" } }, "params.notifications.toolsListChanged"],
      [{ notifications: { resourceSubscriptions: "shop://stock" } }, "params.notifications.resourceSubscriptions"],
      [{ notifications: { resourceSubscriptions: [1] } }, "params.notifications.resourceSubscriptions[0]"],
    ];
    for (const [own, path] of malformed) {
      await peer.send({ jsonrpc: "2.0", id: path, method: "subscriptions/listen", params: params(own) });
      const message = expect.stringContaining(path);
      expect(await peer.receive()).toMatchObject({ id: path, error: { code: -32602, message } });
    }
  },
);

verifies(
  "subscriptions:listen:capacity-guard",
  "the third listen stream over a limit of two is refused, whoever asks, and the two go on",
  async ({ connect, wire }) => {
    const server = shop({ maxListenStreams: 2 });
    const [first, second] = [await connect(server), await connect(server)];
    await first.listen({ tools: true });
    await second.listen({ tools: true });

    const refusal = { name: "ProtocolError", code: 429, message: expect.stringContaining("at most 2") };
    await expect(first.listen({ tools: true })).rejects.toMatchObject(refusal);
    await expect(second.listen({})).rejects.toMatchObject(refusal);
    server.announce.toolsChanged();
    await first.listTools();

    expect(wire.methods("server").filter((method) => method === ACKNOWLEDGED)).toHaveLength(2);
    expect(wire.methods("server").filter((method) => /tools\/list_changed/.test(method))).toHaveLength(2);
  },
);

verifies(
  "subscriptions:listen:capacity-freed",
  "the only place for a listen stream is free again after a close, an end by the server, and a lost connection",
  async ({ connect }) => {
    const server = shop({ maxListenStreams: 1 });
    const [first, second] = [await connect(server), await connect(server)];

    for (let count = 0; count < 3; count += 1) await (await first.listen({ tools: true })).close();
    const ended = await first.listen({ tools: true });
    server.endSubscriptions();
    for await (const change of ended) throw new Error(`nothing had changed, but ${change.kind}`);
    await first.listen({ tools: true });
    await expect(second.listen({ tools: true })).rejects.toMatchObject({ code: 429 });
    await first.close();

    expect((await second.listen({ tools: true })).honored).toEqual({ tools: true });
  },
);

verifies(
  "subscriptions:listen:too-many-resources",
  "a subscription to three resources over a limit of two is refused, and one that names a resource twice is not",
  async ({ connect }) => {
    const client = await connect(shop({ maxListenStreams: 1, maxSubscribedResources: 2 }));

    await expect(client.listen({ resource: ["a://1", "a://2", "a://3"] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("params.notifications.resourceSubscriptions: expected at most 2"),
    });
    const { honored } = await client.listen({ resource: ["a://1", "a://2", "a://1"] });
    expect(honored).toEqual({ resource: ["a://1", "a://2"] });
  },
);

verifies(
  "subscriptions:listen:client:refused",
  "listen rejects with the code, message and data of the server's error",
  async ({ connect }) => {
    const server = shop();
    server.handle("subscriptions/listen", () => {
      throw new ProtocolError(4000, "Not on Sundays", { data: { day: "Sunday" } });
    });
    const client = await connect(server);

    await expect(client.listen({ tools: true })).rejects.toMatchObject({
      name: "ProtocolError",
      code: 4000,
      message: "Not on Sundays",
      data: { day: "Sunday" },
    });
  },
);

verifies(
  "subscriptions:listen:client:unacknowledged",
  "listen rejects when the server does not acknowledge in time, and an acknowledged subscription outlives that time",
  async ({ connect, wire }) => {
    const silent = shop();
    silent.handle("subscriptions/listen", () => new Promise(() => undefined));
    const server = shop();
    const [waiting, client] = [await connect(silent, { timeoutMs: 250 }), await connect(server, { timeoutMs: 250 })];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const rejections: unknown[] = [];
      waiting.listen({ tools: true }).catch((error) => rejections.push(error));
      const changes = await client.listen({ tools: true });
      await vi.advanceTimersByTimeAsync(249);
      expect(rejections).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(rejections).toMatchObject([
        { code: "request-timeout", message: expect.stringMatching(/subscriptions\/listen.*250 ms/) },
      ]);
      expect(wire.methods("client").filter((method) => method === "notifications/cancelled")).toHaveLength(1);

      await vi.advanceTimersByTimeAsync(7 * 24 * 3_600_000);
      server.announce.toolsChanged();
      expect(await changes[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { kind: "tools" } });
    } finally {
      vi.useRealTimers();
    }
  },
);

verifies(
  "resources:subscribe:capacity-guard",
  "the second watched resource over a limit of one is refused, and the first is still announced",
  async ({ connect }) => {
    const server = shop({ maxListenStreams: 8, maxSubscribedResources: 1 });
    const [client, other] = [await connect(server), await connect(server)];
    const updated: unknown[] = [];
    client.onNotification("notifications/resources/updated", ({ uri }) => updated.push(uri));
    const subscribe = (uri: string) => client.request("resources/subscribe", { uri });

    expect(await subscribe("shop://stock")).toEqual({});
    expect(await subscribe("shop://stock")).toEqual({});
    const refusal = { name: "ProtocolError", code: 429, message: expect.stringContaining("at most 1") };
    await expect(subscribe("shop://prices")).rejects.toMatchObject(refusal);
    expect(await other.request("resources/subscribe", { uri: "shop://prices" })).toEqual({});
    server.announce.resourceUpdated("shop://stock");
    server.announce.resourceUpdated("shop://prices");
    await client.listTools();
    expect(updated).toEqual(["shop://stock"]);

    await client.request("resources/unsubscribe", { uri: "shop://stock" });
    expect(await subscribe("shop://prices")).toEqual({});
  },
);
