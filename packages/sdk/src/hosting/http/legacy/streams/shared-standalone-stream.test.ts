import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gate, settled } from "../http-fakes.fixture.js";
import { type Replicas, replicas } from "../sessions/replicas.fixture.js";
import { resume, streamingTools } from "./shared-streams.fixture.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the standalone stream of a session at several processes", () => {
  function setUp() {
    const { define, gates } = streamingTools();
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

  it("is resumed after its process has died, although nothing was ever sent", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const stream = a.get();
    await settled();
    shared.ends[0].cut();
    const resumed = resume(b, stream.lastId);
    await resumed.received(1);
    expect(resumed.messages[0]).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  it("goes on with later numbers if its process has died and the client does not resume", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const stream = a.get();
    await settled();
    change(shared);
    await stream.received(1);
    shared.ends[0].cut();
    const next = b.get();
    await next.received(1);
    expect(Number(next.lastId.split(".")[1])).toBeGreaterThan(Number(stream.lastId.split(".")[1]));
  });

  it("announces nothing to a client that has not finished its handshake", async () => {
    const { all, ends } = setUp();
    const [a, b] = [all[0]?.client(), all[1]?.client()];
    const opened = await a?.initialize().ended();
    if (b) b.sessionId = opened?.headers["mcp-session-id"];
    ends[0].cut();
    const stream = b?.get();
    await settled();
    expect([stream?.status, stream?.messages]).toEqual([200, []]);
    ends[0].isFailing = false;
  });

  it("is checked for 8 sessions at a time after the channel was cut", async () => {
    const shared = setUp();
    const clients = await Promise.all(Array.from({ length: 10 }, () => shared.open()));
    const reads = vi.spyOn(shared.store, "get");
    const hold = gate();
    reads.mockImplementation(async () => {
      await hold.passed;
      return undefined;
    });
    shared.ends[0].cut();
    await shared.ends[0].mend();
    await settled();
    expect([clients.length, reads.mock.calls.length]).toEqual([10, 8]);
    hold.open();
    await settled();
    expect([reads.mock.calls.length, shared.all[0]?.endpoint.size]).toEqual([10, 0]);
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

  it("takes no event of a process that hung while another one took it", async () => {
    const shared = setUp();
    const { open, ends } = shared;
    const [a, b, c] = await open();
    const stream = a.get();
    await settled();
    change(shared, "one");
    await stream.received(1);
    const seen = stream.lastId;
    ends[0].isFrozen = true;
    const taken = resume(b, seen);
    await vi.advanceTimersByTimeAsync(1_000);
    // The first process hears of the change before it hears that the second one has the stream.
    change(shared, "two");
    await vi.advanceTimersByTimeAsync(100);
    expect(stream.lastId).toBe(seen);
    ends[0].thaw();
    await settled();
    await stream.ended();
    taken.disconnect();
    const resumed = resume(c, seen);
    await settled();
    expect(resumed.status).toBe(200);
    expect(resumed.events.map(({ id, data }) => [id, data])).toEqual(taken.events.map(({ id, data }) => [id, data]));
    const numbers = resumed.events.flatMap(({ id, data }) => (data === "" ? [] : [Number(id?.split(".").at(-1))]));
    expect(numbers).toEqual(numbers.map((_, index) => 2 + index));
  });

  it("announces what may have been missed if it cannot be resumed", async () => {
    const shared = setUp();
    const [a, , c] = await shared.open();
    const stream = a.get();
    await settled();
    change(shared, "one");
    await stream.received(1);
    stream.disconnect();
    change(shared, "two");
    await vi.advanceTimersByTimeAsync(100);
    await shared.events.deleteStream(a.sessionId ?? "", stream.lastId.split(".")[0] ?? "");
    expect((await resume(c, stream.lastId).ended()).status).toBe(400);
    const anew = c.get();
    await settled();
    const methods = anew.messages.map(({ method }) => method);
    expect(methods).toContain("notifications/tools/list_changed");
    expect(methods).toContain("notifications/resources/list_changed");
  });

  it("is given up by a process that was cut off while another one took it", async () => {
    const shared = setUp();
    const [a, b] = await shared.open();
    const first = a.get();
    await settled();
    shared.ends[0].cut();
    const stream = b.get();
    await settled();
    await shared.ends[0].mend();
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
    await shared.ends[0].mend();
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
    await shared.ends[0].mend();
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
    const { define } = streamingTools();
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
