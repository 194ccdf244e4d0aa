import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";
import { scriptedClient, scriptedServer } from "./scripted-peer.js";

const identity = { name: "test", version: "1.0.0" };
const quiet = { ...identity, onError: () => undefined };

describe("a scripted peer", () => {
  it("waits for its answer and passes over what arrives before", async () => {
    const server = new McpServer(quiet);
    server.handle("x/count", async (_params, context) => {
      await context.notify("x/noise");
      return { count: 1 };
    });
    await using peer = await scriptedClient(server);
    await peer.request("a", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: identity });
    await peer.notify("notifications/initialized");
    expect(await peer.request(1, "x/count")).toEqual({ jsonrpc: "2.0", id: 1, result: { count: 1 } });
  });

  it("leaves no timer behind once a message has come", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { peer, transport } = scriptedServer();
    const received = peer.receive();
    const connecting = Client.connect(transport, { ...quiet, revisions: ["2025-11-25"] });
    expect(await received).toMatchObject({ method: "initialize" });
    const ofClient = vi.getTimerCount();
    const next = peer.receive().catch(() => undefined);
    expect(vi.getTimerCount()).toBe(ofClient + 1);
    await peer[Symbol.asyncDispose]();
    await Promise.allSettled([next, connecting]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("plays a server that answers and refuses", async () => {
    const { peer, transport } = scriptedServer();
    const connecting = Client.connect(transport, { ...quiet, revisions: ["2025-11-25"] });
    await peer.respond(await peer.receive(), {
      protocolVersion: "2025-11-25",
      capabilities: {},
      serverInfo: identity,
    });
    await using client = await connecting;
    await peer.receive();
    const call = client.request("x/y");
    await peer.respondError(await peer.receive(), 7, "no", { why: "because" });
    await expect(call).rejects.toMatchObject({ code: 7, message: "no", data: { why: "because" } });
    const again = client.request("x/y");
    await peer.respondError(await peer.receive(), 8, "no");
    await expect(again).rejects.toMatchObject({ code: 8, data: undefined });
  });

  it("says so when no message comes, when the connection ends, and when what came is none", async () => {
    await using peer = await scriptedClient(new McpServer(quiet));
    await expect(peer.receive(1)).rejects.toThrow("no message within 1 ms");
    await peer.sendText("{");
    expect(await peer.receive()).toMatchObject({ error: { code: -32700 } });
    await peer.sendText("{");
    await expect(peer.receiveBatch()).rejects.toThrow("expected a batch, got {");
    const ended = peer.receive();
    await peer.close();
    await expect(ended).rejects.toThrow("the connection ended");
    expect(peer.isClosed).toBe(true);
    await expect(peer.receive()).rejects.toThrow("the connection ended");
  });

  it("waits two seconds for a message by default", async () => {
    await using peer = await scriptedClient(new McpServer(quiet));
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refused = expect(peer.receive()).rejects.toThrow("no message within 2000 ms");
    await vi.advanceTimersByTimeAsync(1_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
  });

  it("hands out what is no message through drain, and text that is no JSON as the error it is", async () => {
    const { peer, transport } = scriptedServer();
    await transport.start({ receive: () => undefined, receiveUnparsable: () => undefined, closed: () => undefined });
    await transport.send([{ jsonrpc: "2.0", method: "a" }]);
    await expect(peer.receive()).rejects.toThrow("expected one message, got [");
    await transport.send([{ jsonrpc: "2.0", method: "a" }]);
    expect(await peer.receiveBatch()).toEqual([{ jsonrpc: "2.0", method: "a" }]);
    await transport.send({ jsonrpc: "2.0", method: "b" });
    expect(await peer.drain()).toEqual([{ jsonrpc: "2.0", method: "b" }]);
    await peer.close();
  });
});
