/** Corners of subscriptions that take both sides, and that no requirement names. */
import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { type ChangeBus, InMemoryChangeBus } from "../server/changes/change-bus.js";
import { McpServer } from "../server/mcp-server.js";
import type { ServerContext } from "../server/server-context.js";
import { connectInProcess } from "./connect-in-process.js";
import { scriptedClient } from "./scripted-peer.js";

const identity = { name: "test", version: "1.0.0" };
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A server with a tool and a resource, and the number of connections and streams that hear of its changes. */
function watchedServer() {
  const inner = new InMemoryChangeBus();
  let listeners = 0;
  const changeBus: ChangeBus = {
    publish: (change) => inner.publish(change),
    subscribe: (listener) => {
      listeners += 1;
      const stop = inner.subscribe(listener);
      return () => {
        listeners -= 1;
        stop();
      };
    },
  };
  const server = new McpServer({ ...identity, changeBus, onError: () => undefined });
  server.tool("t", {}, () => "done");
  server.resource("a://1", { name: "one" }, () => "one");
  return { server, listeners: () => listeners };
}

describe.each(["2026-07-28", "2025-11-25"] as const)("in %s", (revision) => {
  it.each(["direct", "json-rpc"] as const)("nothing is left of closed connections over %s", async (over) => {
    const { server, listeners } = watchedServer();
    for (let count = 0; count < 3; count += 1) {
      const client = await connectInProcess(server, { over, revisions: [revision] });
      await client.listen({ tools: true, resource: ["a://1"] });
      await client.listen({ tools: true });
      expect(listeners()).toBe(1);
      await client.close();
      await vi.waitFor(() => expect(listeners()).toBe(0));
    }
  });

  it("an end that nobody reads raises no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { server } = watchedServer();
    const client = await connectInProcess(server, { over: "json-rpc", revisions: [revision] });
    await client.listen({ tools: true, resource: ["a://1"] });
    const opening = client.listen({ resource: ["a://2"] });
    const closing = client.close();
    await expect(opening).rejects.toMatchObject({ code: "connection-closed" });
    await closing;
    // Node tells of unhandled rejections before the next immediate.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
    process.off("unhandledRejection", unhandled);
  });

  it("return ends an iterator that waits", async () => {
    const { server } = watchedServer();
    await using client = await connectInProcess(server, { revisions: [revision] });
    const iterator = (await client.listen({ tools: true }))[Symbol.asyncIterator]();
    const waiting = iterator.next();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it("hears of a change that happens while it is being opened", async () => {
    const { server } = watchedServer();
    await using client = await connectInProcess(server, { over: "json-rpc", revisions: [revision] });
    server.use(async (call, next) => {
      const result = next();
      if (/listen|subscribe/.test(call.method)) server.announce.resourceUpdated("a://1");
      return result;
    });
    const changes = await client.listen({ resource: ["a://1"] });
    expect(await changes[Symbol.asyncIterator]().next()).toEqual({
      done: false,
      value: { kind: "resource", uri: "a://1" },
    });
  });
});

describe("a listen request", () => {
  it("has a signal that aborts when the client closes it, and when the connection goes", async () => {
    const { server } = watchedServer();
    const contexts: ServerContext[] = [];
    server.use((call, next) => {
      if (call.method === "subscriptions/listen" && call.context) contexts.push(call.context);
      return next();
    });
    const client = await connectInProcess(server);
    const closed = await client.listen({ tools: true });
    await client.listen({ tools: true });
    const aborted = () => contexts.map(({ signal }) => signal.aborted);
    await closed.close();
    await vi.waitFor(() => expect(aborted()).toEqual([true, false]));
    await client.close();
    await vi.waitFor(() => expect(aborted()).toEqual([true, true]));
    for (const { signal } of contexts) expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("that is cancelled while middleware holds it takes no place", async () => {
    const { server, listeners } = watchedServer();
    let letThrough: () => void = () => undefined;
    server.use(async (call, next) => {
      if (call.method === "subscriptions/listen") await new Promise<void>((resolve) => (letThrough = resolve));
      return next();
    });
    await using peer = await scriptedClient(server);
    const params = { notifications: { toolsListChanged: true }, _meta: MODERN };
    await peer.send({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    await peer.notify("notifications/cancelled", { requestId: 1 });
    await peer.drain();
    letThrough();
    expect(await peer.drain()).toEqual([]);
    expect(listeners()).toBe(0);
  });
});

describe("a legacy connection", () => {
  const initialize = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: identity },
  });
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

  it("that sends initialized without waiting for the answer hears of changes too", async () => {
    const { server } = watchedServer();
    await using peer = await scriptedClient(server);
    await Promise.all([peer.send(initialize(1)), peer.send(initialized)]);
    await peer.drain();
    server.announce.toolsChanged();
    expect(await peer.drain()).toMatchObject([{ method: "notifications/tools/list_changed" }]);
  });

  it("is told nothing if it never shook hands, or was promised nothing", async () => {
    const { server } = watchedServer();
    await using stranger = await scriptedClient(server);
    await stranger.send(initialized);
    server.use((call, next) => (call.method === "initialize" ? { protocolVersion: "2025-11-25" } : next()));
    await using peer = await scriptedClient(server);
    await peer.send(initialize(1));
    await peer.send(initialized);
    await peer.drain();
    server.announce.toolsChanged();
    expect([...(await stranger.drain()), ...(await peer.drain())]).toEqual([]);
  });
});

it.each(["maxListenStreams", "maxSubscribedResources"])("a server with a senseless %s is refused", (name) => {
  expect(() => new McpServer({ ...identity, [name]: -1 })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(name) }),
  );
});
