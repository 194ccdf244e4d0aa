import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpServer } from "../../../../server/mcp-server.js";
import { type FakeClient, gate, settled } from "../http-fakes.fixture.js";
import { type Replicas, replicas } from "./replicas.fixture.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function define(server: McpServer): void {
  server.tool("quick", () => "done");
  server.resource("a://b", { name: "b" }, () => "");
}

/** Holds the answer to the next read of the store. */
function holdRead(store: Replicas["store"]) {
  const held = gate();
  const get = store.get.bind(store);
  vi.spyOn(store, "get").mockImplementationOnce(async (id) => {
    const record = await get(id);
    await held.passed;
    return record;
  });
  return held;
}

/** A store that deletes, and whose answer comes too late. */
function deleteLate(store: Replicas["store"]): void {
  const deleted = store.delete.bind(store);
  vi.spyOn(store, "delete").mockImplementationOnce(async (id) => {
    await deleted(id);
    throw new Error("too late");
  });
}

async function statusOf(client: FakeClient): Promise<number | undefined> {
  return (await client.call(1, "quick").ended()).status;
}

describe("a session that a process evicts", () => {
  it("is taken up again by the request that was reading its record", async () => {
    const { open, all, store } = replicas(define, { maxSessions: 1 });
    const [, b] = await open();
    expect(await statusOf(b)).toBe(200);
    const held = holdRead(store);
    const call = b.call(2, "quick");
    await settled();
    await all[1]?.client().open();
    held.open();

    expect((await call.ended()).status).toBe(200);
  });

  it("is served, although another one takes its room in the same turn", async () => {
    const { open, all } = replicas(define, { maxSessions: 1 });
    const [, first] = await open();
    const [, second] = await open();
    const calls = [first, second, first, second].map((client, index) => client.call(index, "quick").ended());

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(all[1]?.endpoint.size).toBe(1);
  });

  it("does not end with the older one of its id, which was being deleted", async () => {
    const { open, all, store, ends, channel } = replicas(define, { maxSessions: 1 });
    const [, b] = await open();
    await statusOf(b);
    const held = gate();
    const deleted = store.delete.bind(store);
    vi.spyOn(store, "delete").mockImplementationOnce(async (id) => {
      await held.passed;
      return deleted(id);
    });
    const deleting = b.delete();
    await settled();
    const other = await all[1]?.client().open();
    await statusOf(b);
    ends[1].isFailing = true;
    held.open();
    expect((await deleting.ended()).status).toBe(204);
    ends[1].isFailing = false;

    expect(await statusOf(b)).toBe(404);
    await other?.delete().ended();
    await settled();
    expect([all[0]?.endpoint.size, all[1]?.endpoint.size, channel.size]).toEqual([0, 0, 0]);
  });

  it("retains no bytes when a change that it was storing fails afterwards", async () => {
    const { open, all, store } = replicas(define);
    const [, b] = await open();
    const bytes = all[1]?.server.hosting.limits.bytes;
    await b.request(1, "resources/subscribe", { uri: "a://b" }).ended();
    const held = gate();
    vi.spyOn(store, "replace").mockImplementationOnce(async () => {
      await held.passed;
      throw new Error("no connection");
    });
    const changed = b.request(2, "logging/setLevel", { level: "error" });
    await settled();
    await all[1]?.endpoint.close();
    held.open();
    await changed.ended();
    await settled();

    expect(bytes?.used).toBe(0);
  });
});

describe("a session whose record was deleted, although DELETE was answered 503", () => {
  it("is deleted by the DELETE that the client repeats, everywhere", async () => {
    const { open, store, all, channel } = replicas(define);
    const [a, b] = await open();
    const stream = a.get();
    await settled();
    deleteLate(store);

    expect((await b.delete().ended()).status).toBe(503);
    expect(stream.isEnded).toBe(false);
    expect((await b.delete().ended()).status).toBe(204);
    expect((await stream.ended()).status).toBe(200);
    await settled();
    expect([...all.map(({ endpoint }) => endpoint.size), channel.size]).toEqual([0, 0, 0, 0]);
  });

  it("ends everywhere by a DELETE at a process that does not know it", async () => {
    const { open, store, all, channel } = replicas(define);
    const [a, b, c] = await open();
    const stream = a.get();
    await settled();
    deleteLate(store);
    await b.delete().ended();

    expect((await c.delete().ended()).status).toBe(404);
    expect((await stream.ended()).status).toBe(200);
    await settled();
    expect([...all.map(({ endpoint }) => endpoint.size), channel.size]).toEqual([0, 0, 0, 0]);
  });

  it("ends everywhere by any other request at a process that has it", async () => {
    const { open, store } = replicas(define);
    const [a, b] = await open();
    const stream = a.get();
    await settled();
    deleteLate(store);
    await b.delete().ended();

    expect(await statusOf(b)).toBe(404);
    expect((await stream.ended()).status).toBe(200);
  });

  it("ends where a stream is open as soon as its record is due to be renewed", async () => {
    const { open, store, all, errors } = replicas(define, { sessionIdleMs: 10_000, keepAliveMs: 1_000 });
    const [a] = await open();
    const stream = a.get();
    await settled();
    await store.delete(a.sessionId ?? "");
    await vi.advanceTimersByTimeAsync(4_000);

    expect((await stream.ended()).status).toBe(200);
    expect(all[0]?.endpoint.size).toBe(0);
    expect(errors).toHaveLength(1);
  });

  it("ends where the store failed when messages had been lost, with the next keep-alive of its stream", async () => {
    const { open, store, ends } = replicas(define, { keepAliveMs: 1_000 });
    const [a] = await open();
    const stream = a.get();
    await settled();
    ends[0].cut();
    await store.delete(a.sessionId ?? "");
    vi.spyOn(store, "get").mockRejectedValueOnce(new Error("no connection"));
    await ends[0].mend();
    await settled();
    expect(stream.isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);

    expect((await stream.ended()).status).toBe(200);
  });

  it("does not end by a DELETE of somebody else, or at a process that does not speak its revision", async () => {
    const { open, all, ends } = replicas(define);
    const [a] = await open({ caller: { principal: "ann" } });
    const thief = all[1]?.client({ caller: { principal: "bob" } }) as FakeClient;
    thief.sessionId = a.sessionId;

    expect((await thief.delete().ended()).status).toBe(404);
    expect((await thief.delete().ended()).status).toBe(404);
    expect(ends[1].published).toEqual([]);
    expect(await statusOf(a)).toBe(200);
  });

  it("costs the channel nothing if no text of the request is an id", async () => {
    const { all, ends } = replicas(define);
    const stranger = all[1]?.client() as FakeClient;
    stranger.sessionId = "x";

    expect((await stranger.delete().ended()).status).toBe(404);
    expect(ends[1].published).toEqual([]);
  });
});
