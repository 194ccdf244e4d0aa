import type { ServerChange } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const OVER = { done: true, value: undefined };

const mustNotRun = (): never => {
  throw new Error("must not run");
};

function shop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.tool("buy", {}, mustNotRun);
  server.resource("shop://stock", { name: "stock" }, mustNotRun);
  return server;
}

verifies(
  "subscriptions:close:ends-iteration",
  "closing a subscription ends two waiting iterations, forgets unread changes, and may be done twice",
  async ({ connect }) => {
    const server = shop();
    const client = await connect(server);
    const idle = await client.listen({ tools: true, resource: ["shop://stock"] });
    const waiting = [idle[Symbol.asyncIterator]().next(), idle[Symbol.asyncIterator]().next()];
    const unread = await client.listen({ tools: true });
    const alive = await client.listen({ tools: true });

    await idle.close();
    await idle.close();
    server.announce.toolsChanged();
    expect(await alive[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { kind: "tools" } });
    await unread.close();

    expect(await Promise.all(waiting)).toEqual([OVER, OVER]);
    expect(await idle[Symbol.asyncIterator]().next()).toEqual(OVER);
    expect(await unread[Symbol.asyncIterator]().next()).toEqual(OVER);
  },
);

verifies(
  "subscriptions:close:by-leaving-the-loop",
  "a server is told of the end of a subscription after a break and after a block, and announces no more",
  async ({ connect, wire, era }) => {
    const server = shop();
    const client = await connect(server);

    const left = await client.listen({ resource: ["shop://stock"] });
    server.announce.resourceUpdated("shop://stock");
    const heard: ServerChange[] = [];
    for await (const change of left) {
      heard.push(change);
      break;
    }
    {
      await using disposed = await client.listen({ resource: ["shop://stock"] });
      expect(disposed.honored).toEqual({ resource: ["shop://stock"] });
    }
    server.announce.resourceUpdated("shop://stock");
    await client.listTools();

    expect(heard).toEqual([{ kind: "resource", uri: "shop://stock" }]);
    const farewell = era === "modern" ? "notifications/cancelled" : "resources/unsubscribe";
    expect(wire.methods("client").filter((method) => method === farewell)).toHaveLength(2);
    expect(wire.methods("server").filter((method) => method === "notifications/resources/updated")).toHaveLength(1);
  },
);

verifies(
  "subscriptions:close:with-the-client",
  "the loop of a subscription in the background ends when the client closes, and reading on yields nothing",
  async ({ connect, wire }) => {
    const client = await connect(shop());
    const changes = await client.listen({ tools: true, resource: ["shop://stock"] });
    const loop = (async () => {
      for await (const change of changes) throw new Error(`nothing had changed, but ${change.kind}`);
      return "ended";
    })();
    const sentBefore = wire.from("client").length;

    await client.close();

    expect(await loop).toBe("ended");
    await changes.close();
    expect(await changes[Symbol.asyncIterator]().next()).toEqual(OVER);
    expect(wire.from("client")).toHaveLength(sentBefore);
  },
);

verifies(
  "subscriptions:listen:client:lost",
  "a subscription on a lost connection yields an unread change, and then rejects for every reader",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ tools: { listChanged: true } });
    const listening = client.listen({ tools: true });
    const meta = era === "modern" ? { _meta: { [SUBSCRIPTION_ID]: (await peer.receive()).id } } : {};
    if (era === "modern")
      await peer.notify("notifications/subscriptions/acknowledged", {
        notifications: { toolsListChanged: true },
        ...meta,
      });
    const changes = await listening;

    await peer.notify("notifications/tools/list_changed", meta);
    await peer.close();

    const heard: ServerChange[] = [];
    const loop = async () => {
      for await (const change of changes) heard.push(change);
    };
    const lost = { name: "SdkError", code: "connection-closed" };
    await expect(loop()).rejects.toMatchObject(lost);
    await expect(loop()).rejects.toMatchObject(lost);
    expect(heard).toEqual([{ kind: "tools" }]);
    await changes.close();
    await expect(client.listen({ tools: true })).rejects.toMatchObject(lost);
  },
);
