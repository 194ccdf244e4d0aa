import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpServer } from "../../../../server/mcp-server.js";
import { type FakeClient, type FakeResponse, gate, settled } from "../http-fakes.fixture.js";
import { type Replicas, replicas } from "../sessions/replicas.fixture.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function tools() {
  const gates = [gate(), gate(), gate()] as const;
  const define = (server: McpServer) => {
    server.resource("a://b", { name: "b" }, () => "");
    server.tool("quick", () => "done");
    server.tool("steps", async (_args, context) => {
      await context.progress(1);
      await gates[0].passed;
      await context.progress(2);
      await gates[1].passed;
      await context.progress(3);
      await gates[2].passed;
      return "stepped";
    });
    server.tool("away", async (_args, context) => {
      context.closeStream();
      await gates[0].passed;
      return "back";
    });
    server.tool("rename", (_args, context) => {
      server.tool(`tool-${String(context.requestId)}`, () => "");
      return "";
    });
  };
  return { define, gates };
}

function progressOf(response: FakeResponse): unknown[] {
  return response.messages.map(({ params, result }) => (result ? "result" : (params as { progress: number }).progress));
}

function resume(client: FakeClient, after: string): FakeResponse {
  return client.get({ "last-event-id": after });
}

describe("a stream that another process began", () => {
  async function started() {
    const { define, gates } = tools();
    const all = replicas(define);
    const [a, b, c] = await all.open();
    const call = a.call(1, "steps");
    await call.received(1);
    return { ...all, gates, a, b, c, call };
  }

  it("is resumed with what was stored, and goes on with what the handler emits, once and in order", async () => {
    const { gates, b, call } = await started();
    gates[0].open();
    await call.received(2);
    call.disconnect();
    const resumed = resume(b, call.events[1]?.id ?? "");
    await resumed.received(1);
    gates[1].open();
    await resumed.received(2);
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
    const ids = resumed.events.filter(({ data }) => data !== "").map(({ id }) => id?.split(".")[1]);
    expect(ids).toEqual(["2", "3", "4"]);
  });

  it("ends the connection that the client had, and follows it from process to process", async () => {
    const { gates, a, b, c, call } = await started();
    const atB = resume(b, call.lastId);
    await settled();
    expect(call.isEnded).toBe(true);
    gates[0].open();
    await atB.received(1);
    const atC = resume(c, atB.lastId);
    await atB.ended();
    gates[1].open();
    await atC.received(1);
    const atA = resume(a, atC.lastId);
    await atC.ended();
    gates[2].open();
    await atA.ended();
    expect([atB, atC, atA].map(progressOf)).toEqual([[2], [3], ["result"]]);
  });

  it("loses no event that is emitted while the store is read", async () => {
    const { gates, b, call, events } = await started();
    const reading = gate();
    const read = events.read.bind(events);
    const spy = vi.spyOn(events, "read").mockImplementationOnce(async (...args) => {
      const found = await read(...args);
      await reading.passed;
      return found;
    });
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    gates[1].open();
    gates[2].open();
    await settled();
    expect(spy).toHaveBeenCalledOnce();
    reading.open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("is paused by its handler", async () => {
    const { define, gates } = tools();
    const { open } = replicas(define);
    const [a, b, c] = await open();
    const call = a.call(1, "away");
    await call.ended();
    expect(call.events.at(-1)).toMatchObject({ data: "", retry: "1000" });
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    expect((await resumed.ended()).messages.at(-1)).toMatchObject({ result: { content: [{ text: "back" }] } });
    const again = resume(c, call.lastId);
    expect((await again.ended()).messages.at(-1)).toMatchObject({ result: { content: [{ text: "back" }] } });
  });

  it("is replayed once it is over", async () => {
    const { gates, b, call } = await started();
    for (const one of gates) one.open();
    await call.ended();
    const replayed = resume(b, call.events.find(({ data }) => data !== "")?.id ?? "");
    expect(progressOf(await replayed.ended())).toEqual([2, 3, "result"]);
    expect((await resume(b, call.lastId).ended()).status).toBe(400);
  });

  it("ends if the process that writes it has died, and cannot be resumed then", async () => {
    const { b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[0].cut();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(true);
    expect((await resume(b, call.lastId).ended()).status).toBe(400);
  });

  it("ends if the process that writes it hangs", async () => {
    const { b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[0].isFrozen = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(resumed.isEnded).toBe(true);
  });

  it("stays open while the channel fails here, and catches up afterwards", async () => {
    const { gates, b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[1].cut();
    gates[0].open();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(false);
    expect(progressOf(resumed)).toEqual([2]);
    gates[1].open();
    await ends[1].mend(b.sessionId ?? "");
    await resumed.received(2);
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("is let go when the client leaves", async () => {
    const { gates, b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    resumed.disconnect();
    await vi.advanceTimersByTimeAsync(2_000);
    const before = ends[1].published.length;
    for (const one of gates) one.open();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(ends[1].published.length).toBe(before);
    expect(resumed.messages).toEqual([]);
  });

  it("is refused if events are missing", async () => {
    const { gates, b, call, events } = await started();
    gates[0].open();
    await call.received(2);
    vi.spyOn(events, "read").mockResolvedValue([]);
    expect((await resume(b, call.events[0]?.id ?? "").ended()).status).toBe(400);
  });

  it("is 503 while the channel fails", async () => {
    const { b, call, ends } = await started();
    await b.call(2, "quick").ended();
    ends[1].cut();
    expect((await resume(b, call.lastId).ended()).status).toBe(503);
  });
});

describe("the standalone stream of a session at several processes", () => {
  function setUp() {
    const { define, gates } = tools();
    return { ...replicas(define), gates };
  }

  /** Registers a tool at one server and announces it to all. */
  function change({ all }: Pick<Replicas, "all">, name = "new"): void {
    all[2]?.server.tool(name, () => "");
  }

  it("gets each change once, at whatever process it is open", async () => {
    const shared = setUp();
    const [a, b, c] = await shared.open();
    for (const client of [a, b, c]) await client.call(0, "quick").ended();
    const stream = b.get();
    await settled();
    change(shared);
    await vi.advanceTimersByTimeAsync(100);
    expect(stream.messages).toMatchObject([{ method: "notifications/tools/list_changed" }]);
  });

  it("gets what happened before it was opened", async () => {
    const shared = setUp();
    const [, b] = await shared.open();
    change(shared);
    await vi.advanceTimersByTimeAsync(100);
    const stream = b.get();
    expect(await stream.received(1)).toMatchObject([{ method: "notifications/tools/list_changed" }]);
  });

  it("is open once: 409 at every other process, until it is closed", async () => {
    const { open } = setUp();
    const [a, b, c] = await open();
    const stream = a.get();
    await settled();
    expect((await b.get().ended()).status).toBe(409);
    expect((await a.get().ended()).status).toBe(409);
    stream.disconnect();
    const next = c.get();
    await settled();
    expect(next.status).toBe(200);
    expect((await a.get().ended()).status).toBe(409);
  });

  it("goes to one of two processes that are asked together", async () => {
    const { open } = setUp();
    const [, b, c] = await open();
    const streams = [b.get(), c.get(), b.get()];
    await settled();
    expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it("is resumed at another process, which ends it at the first", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const stream = a.get();
    await settled();
    change(shared, "one");
    await stream.received(1);
    stream.isDeaf = true;
    change(shared, "two");
    await vi.advanceTimersByTimeAsync(100);
    const resumed = resume(b, stream.events.at(-1)?.id ?? "");
    await resumed.received(1);
    expect(stream.isEnded).toBe(true);
    change(shared, "three");
    await vi.advanceTimersByTimeAsync(100);
    expect(resumed.messages).toHaveLength(2);
  });

  it("is accepted at once if its process has died, and announces what may have been missed", async () => {
    const { open, ends } = setUp();
    const [a, b] = await open();
    a.get();
    await settled();
    ends[0].cut();
    const stream = b.get();
    await settled();
    expect(stream.status).toBe(200);
    expect(stream.messages.map(({ method }) => method)).toContain("notifications/tools/list_changed");
  });

  it("is resumed after its process has died", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const stream = a.get();
    await settled();
    change(shared);
    await stream.received(1);
    shared.ends[0].cut();
    const resumed = resume(b, stream.lastId);
    await settled();
    expect(resumed.status).toBe(200);
  });

  it("is accepted after a second if its process hangs, which lets go of it afterwards", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const first = a.get();
    await settled();
    shared.ends[0].isFrozen = true;
    const stream = b.get();
    await vi.advanceTimersByTimeAsync(999);
    expect(stream.status).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(stream.status).toBe(200);
    const missed = stream.messages.length;
    shared.ends[0].thaw();
    await first.ended();
    change(shared);
    await vi.advanceTimersByTimeAsync(100);
    expect(stream.messages).toHaveLength(missed + 1);
  });

  it("is given up by a process that was cut off while another one took it", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const first = a.get();
    await settled();
    shared.ends[0].cut();
    const stream = b.get();
    await settled();
    await shared.ends[0].mend(a.sessionId ?? "");
    await first.ended();
    const before = stream.messages.length;
    change(shared);
    await vi.advanceTimersByTimeAsync(100);
    expect(stream.messages).toHaveLength(before + 1);
  });

  it("stays at a process that was cut off while nobody took it", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    await b.call(0, "quick").ended();
    const stream = a.get();
    await settled();
    shared.ends[0].cut();
    await shared.ends[0].mend(a.sessionId ?? "");
    await settled();
    expect(stream.isEnded).toBe(false);
  });

  it("ends at a process that was cut off while the session was deleted", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const stream = a.get();
    await settled();
    shared.ends[0].cut();
    await b.delete().ended();
    expect(stream.isEnded).toBe(false);
    await shared.ends[0].mend(a.sessionId ?? "");
    await stream.ended();
    expect(shared.all[0]?.endpoint.size).toBe(0);
  });

  it("is 503 while the channel fails", async () => {
    const { open, ends } = setUp();
    const [a, b] = await open();
    await b.call(0, "quick").ended();
    ends[1].cut();
    const refused = await b.get().ended();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await a.call(1, "quick").ended()).status).toBe(200);
  });
});

describe("messages that belong to no request", () => {
  function asking() {
    const { define } = tools();
    const asked: unknown[] = [];
    const shared = replicas((server) => {
      define(server);
      server.onNotification("notifications/roots/list_changed", async (_params, _method, context) => {
        asked.push(await context.listRoots().catch((error: unknown) => error));
      });
    });
    return { ...shared, asked };
  }

  it("go over the stream of another process, and the answer comes back", async () => {
    const { open, asked } = asking();
    const [a, b, c] = await open({ capabilities: { roots: { listChanged: true } } });
    const stream = a.get();
    await settled();
    await b.notify("notifications/roots/list_changed").ended();
    const [question] = await stream.received(1);
    expect(question).toMatchObject({ method: "roots/list" });
    await c.post({ jsonrpc: "2.0", id: question?.id, result: { roots: [] } }).ended();
    await settled();
    expect(asked).toEqual([[]]);
  });

  it("wait for a client at the process that sends them if no other has the stream", async () => {
    const { open, ends } = asking();
    const [, b, c] = await open({ capabilities: { roots: { listChanged: true } } });
    ends[0].cut();
    await b.notify("notifications/roots/list_changed").ended();
    await settled();
    const stream = c.get();
    await settled();
    expect(stream.messages.map(({ method }) => method)).toContain("roots/list");
  });

  it("fail if the channel does", async () => {
    const { open, ends, asked } = asking();
    const [, b] = await open({ capabilities: { roots: { listChanged: true } } });
    await b.call(1, "quick").ended();
    ends[1].cut();
    await b.notify("notifications/roots/list_changed").ended();
    await settled();
    expect(asked).toMatchObject([{ code: "connection-closed" }]);
  });
});
