import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Caller } from "../../../../transport/caller.js";
import { type FakeClient, gate, settled, setUpLegacy } from "../http-fakes.fixture.js";
import { InMemoryEventStore } from "../streams/event-store.js";
import { InMemorySessionStore, type SessionRecord } from "./session-store.js";

async function status(peer: FakeClient): Promise<number | undefined> {
  return (await peer.request("probe", "ping").ended()).status;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a session store", () => {
  function replicas(store = new InMemorySessionStore()) {
    const eventStore = new InMemoryEventStore();
    const options = { sessionStore: store, eventStore, sessionIdleMs: 10_000 };
    const make = () => {
      const legacy = setUpLegacy(options, { capabilities: { logging: {}, tools: {} } });
      legacy.server.handle("probe", (_params, context) => ({ revision: context.revision, info: context.clientInfo }));
      legacy.server.tool("talk", {}, (_args, context) => {
        context.log.debug("chatter");
        return "";
      });
      legacy.server.resource("a://b", { name: "b" }, () => "");
      return legacy;
    };
    return { store, eventStore, first: make(), second: make() };
  }

  async function move(peer: FakeClient, to: ReturnType<typeof setUpLegacy>): Promise<FakeClient> {
    const moved = to.client({ caller: { principal: "ann" } });
    moved.sessionId = peer.sessionId;
    return moved;
  }

  it("lets another process go on where this one stopped: who, what was settled, levels and watched resources", async () => {
    const { first, second } = replicas();
    const ann = await first.client({ caller: { principal: "ann" }, revision: "2025-06-18" }).open();
    await ann.request(1, "logging/setLevel", { level: "debug" }).ended();
    await ann.request(2, "resources/subscribe", { uri: "a://b" }).ended();
    await first.endpoint.close();
    const moved = await move(ann, second);
    const answer = await moved.request(3, "probe").ended();
    expect(answer.json).toMatchObject({ result: { revision: "2025-06-18", info: { name: "tester" } } });
    expect((await moved.call(4, "talk").ended()).messages[0]).toMatchObject({ params: { data: "chatter" } });
    const stream = moved.get();
    await settled();
    second.server.announce.resourceUpdated("a://b");
    expect(await stream.received(1)).toMatchObject([{ params: { uri: "a://b" } }]);
    expect((await moved.initialize().ended()).json).toMatchObject({ error: { code: -32600 } });
  });

  it("hands a session to its owner alone, and once however many ask together", async () => {
    const { first, second, store } = replicas();
    const ann = await first.client({ caller: { principal: "ann" } }).open();
    const thief = second.client({ caller: { principal: "bob" } });
    thief.sessionId = ann.sessionId;
    expect(await status(thief)).toBe(404);
    const get = vi.spyOn(store, "get");
    await second.endpoint.close();
    const third = replicas(store).first;
    const moved = await move(ann, third);
    const answers = [moved.request(1, "ping"), moved.request(2, "ping"), moved.request(3, "ping")];
    for (const answer of answers) expect((await answer.ended()).status).toBe(200);
    expect([third.endpoint.size, get.mock.calls.length]).toEqual([1, 1]);
  });

  it("that never answers holds a request for 10 seconds, and then is asked again", async () => {
    const { first, second, store } = replicas();
    const ann = await first.client({ caller: { principal: "ann" } }).open();
    vi.spyOn(store, "get").mockReturnValueOnce(new Promise(() => undefined));
    const moved = await move(ann, second);
    const waiting = moved.request(1, "ping");
    await vi.advanceTimersByTimeAsync(9_999);
    expect(waiting.status).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect((await waiting.ended()).status).toBe(503);
    expect(await status(moved)).toBe(200);
  });

  it("ends a session once, however many ask for it together", async () => {
    const { first, second, store } = replicas();
    const ann = await first.client({ caller: { principal: "ann" } }).open();
    await first.endpoint.close();
    const moved = await move(ann, second);
    const ends = await Promise.all([moved.delete().ended(), moved.delete().ended()]);
    expect(ends.map((end) => end.status)).toEqual([204, 404]);
    expect([second.endpoint.size, store.size]).toEqual([0, 0]);
  });

  it("forgets what is deleted, and keeps what is idle here as long as it may be used elsewhere", async () => {
    const { first, second, store, eventStore } = replicas();
    const [gone, idle] = [await first.client().open(), await first.client().open()];
    await gone.call(1, "talk").ended();
    expect([store.size, eventStore.size]).toEqual([2, 1]);
    await gone.delete().ended();
    expect([store.size, eventStore.size]).toEqual([1, 0]);
    const moved = second.client();
    moved.sessionId = gone.sessionId;
    expect(await status(moved)).toBe(404);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([first.endpoint.size, store.size]).toEqual([0, 1]);
    moved.sessionId = idle.sessionId;
    expect(await status(moved)).toBe(200);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(await status(moved)).toBe(404);
    await first.client().open();
    expect(store.size).toBe(1);
  });

  it("is written when something changed, and now and then so that it does not forget", async () => {
    const { first, store } = replicas();
    const set = vi.spyOn(store, "set");
    const peer = await first.client().open();
    expect(set).toHaveBeenCalledTimes(2);
    await peer.request(1, "ping").ended();
    expect(set).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2_500);
    await peer.request(2, "ping").ended();
    expect(set).toHaveBeenCalledTimes(3);
    expect(set.mock.lastCall?.[2]).toBe(12_500);
  });

  it("is not asked for ids that cannot be", async () => {
    const { first, store } = replicas();
    const get = vi.spyOn(store, "get");
    const peer = first.client();
    for (const id of ["x", "", "z".repeat(40), "0".repeat(10_000)]) {
      peer.sessionId = id;
      expect(await status(peer)).toBe(404);
    }
    expect(get).not.toHaveBeenCalled();
    peer.sessionId = "0".repeat(40);
    expect(await status(peer)).toBe(404);
    expect(get).toHaveBeenCalledOnce();
  });

  it("is asked for few ids at a time on behalf of one principal, and others get their sessions meanwhile", async () => {
    const { first, second, store } = replicas();
    const ann = await first.client({ caller: { principal: "ann" } }).open();
    const answered = gate();
    const get = store.get.bind(store);
    const reads = vi.spyOn(store, "get").mockImplementation(async (id) => {
      if (id !== ann.sessionId) await answered.passed;
      return get(id);
    });
    const random = (caller: Caller, count: number) =>
      Array.from({ length: count }, (_, number) => {
        const peer = second.client({ caller });
        peer.sessionId = String(number).padStart(40, "0");
        return status(peer);
      });

    const flood = random({ principal: "mallory" }, 1_000);
    const anonymous = random({ address: "192.0.2.1" }, 1_000);
    const large = random({ principal: "eve", messageBytes: 10_000_000 }, 2);
    await settled();
    expect(reads.mock.calls.length).toBe(256);
    expect(await status(await move(ann, second))).toBe(200);

    answered.open();
    const count = (statuses: readonly unknown[], wanted: number) => statuses.filter((one) => one === wanted).length;
    for (const statuses of [await Promise.all(flood), await Promise.all(anonymous)]) {
      expect([count(statuses, 404), count(statuses, 429)]).toEqual([256, 744]);
    }
    expect(await Promise.all(large)).toEqual([404, 429]);
    expect(await Promise.all(random({ principal: "mallory" }, 1))).toEqual([404]);
  });

  it("does not bring back what this process cannot serve, or has no room for, or at its end", async () => {
    const { first, store } = replicas();
    const peer = await first.client({ revision: "2024-11-05" }).open();
    const modern = setUpLegacy({ sessionStore: store }, { revisions: ["2025-11-25"] });
    const other = modern.client();
    other.sessionId = peer.sessionId;
    expect(await status(other)).toBe(404);
    const full = setUpLegacy({ sessionStore: store, maxSessions: 1 });
    const busy = await full.client().open();
    busy.get();
    const late = full.client();
    late.sessionId = peer.sessionId;
    expect(await status(late)).toBe(503);
    await full.endpoint.close();
    expect((await late.notify("notifications/x").ended()).status).toBe(503);
  });

  it("may be slow: what was deleted stays so", async () => {
    const { first, store } = replicas();
    const peer = await first.client().open();
    const hold = gate();
    const forget = store.delete.bind(store);
    vi.spyOn(store, "delete").mockImplementation(async (id) => {
      await hold.passed;
      return forget(id);
    });
    const deleted = peer.delete();
    await settled();
    expect(deleted.status).toBeUndefined();
    expect(await status(peer)).toBe(404);
    hold.open();
    expect((await deleted.ended()).status).toBe(204);
    expect(await status(peer)).toBe(404);
    expect(store.size).toBe(0);
  });

  it("may be slow: what is being written does not outlive what is deleted", async () => {
    const { first, store } = replicas();
    const peer = await first.client().open();
    const hold = gate();
    const write = store.set.bind(store);
    const set = vi.spyOn(store, "set").mockImplementation(async (...args) => {
      await hold.passed;
      return write(...args);
    });
    await peer.request(1, "resources/subscribe", { uri: "a://b" }).ended();
    await peer.request(2, "resources/subscribe", { uri: "a://c" }).ended();
    expect(set).toHaveBeenCalledOnce();
    const deleted = peer.delete();
    await settled();
    hold.open();
    expect((await deleted.ended()).status).toBe(204);
    expect([store.size, set.mock.calls.length]).toEqual([0, 1]);
  });

  it("may be slow: what changes while it writes is written next", async () => {
    const { first, store } = replicas();
    const peer = await first.client().open();
    const hold = gate();
    const write = store.set.bind(store);
    const set = vi.spyOn(store, "set").mockImplementation(async (...args) => {
      await hold.passed;
      return write(...args);
    });
    await peer.request(1, "resources/subscribe", { uri: "a://b" }).ended();
    await peer.request(2, "resources/subscribe", { uri: "a://c" }).ended();
    await peer.request(3, "resources/unsubscribe", { uri: "a://b" }).ended();
    hold.open();
    await settled();
    expect(set.mock.calls.map(([, record]) => record.handshake.watched)).toEqual([["a://b"], ["a://c"]]);
  });

  it("may be slow: requests that wait for a session find it gone after a DELETE that waited, too", async () => {
    const { first, second, store } = replicas();
    const peer = await first.client().open();
    const hold = gate();
    const read = store.get.bind(store);
    vi.spyOn(store, "get").mockImplementation(async (id) => {
      await hold.passed;
      return read(id);
    });
    const moved = second.client();
    moved.sessionId = peer.sessionId;
    const [deleted, late] = [moved.delete(), moved.request(1, "ping")];
    await settled();
    hold.open();
    expect([(await deleted.ended()).status, (await late.ended()).status]).toEqual([204, 404]);
  });

  it("remembers as many deleted sessions that it could not forget as there may be sessions", async () => {
    const { first, store } = replicas();
    const small = setUpLegacy({ sessionStore: store, maxSessions: 1 });
    vi.spyOn(store, "delete").mockRejectedValue(new Error("no connection"));
    const [one, two] = [await small.client().open(), first.client()];
    await one.delete().ended();
    expect(await status(one)).toBe(404);
    two.sessionId = (await small.client().open()).sessionId;
    const again = small.client();
    again.sessionId = two.sessionId;
    await again.delete().ended();
    expect([await status(again), await status(one)]).toEqual([404, 200]);
  });

  it("has no part in sessions that the server has no room for", async () => {
    const { first, store } = replicas();
    const capabilities = { experimental: { x: { text: "x".repeat(700) } } };
    const peer = await first.client({ capabilities }).open();
    const small = setUpLegacy({ sessionStore: store }, { limits: { maxBytesPerSession: 1_000 } });
    const moved = small.client();
    moved.sessionId = peer.sessionId;
    expect(await status(moved)).toBe(429);
    expect([small.endpoint.size, small.server.hosting.limits.bytes.used]).toEqual([0, 0]);
  });

  it("that fails is reported: a 503 where it is needed, and no matter otherwise", async () => {
    class Failing extends InMemorySessionStore {
      override async get(): Promise<SessionRecord | undefined> {
        throw new Error("no connection");
      }
      override async set(): Promise<void> {
        throw new Error("no connection");
      }
      override async delete(): Promise<void> {
        throw new Error("no connection");
      }
    }
    const { first } = replicas(new Failing());
    const peer = await first.client().open();
    expect(await status(peer)).toBe(200);
    const unknown = first.client();
    unknown.sessionId = "0".repeat(40);
    expect(await status(unknown)).toBe(503);
    await peer.delete().ended();
    expect(first.errors).toHaveLength(1);
    expect(await status(peer)).toBe(404);
  });
});
