import { describe, expect, it } from "vitest";
import { type FakeClient, type FakeResponse, gate, settled, setUpLegacy } from "../http-fakes.fixture.js";
import type { EventStore, StoredEvent } from "./event-store.js";
import { InMemoryEventStore, type InMemoryEventStoreOptions } from "./event-store.js";

function setUp(options: InMemoryEventStoreOptions = {}, eventStore: EventStore = new InMemoryEventStore(options)) {
  const legacy = setUpLegacy({ eventStore, retryMs: 250 });
  const state = { started: gate(), release: gate(), aborted: gate() };
  legacy.server.tool("slow", {}, async (_args, context) => {
    context.signal.addEventListener("abort", () => state.aborted.open());
    await context.progress(1);
    state.started.open();
    await Promise.race([state.release.passed, state.aborted.passed]);
    await context.progress(2);
    return "slept well";
  });
  legacy.server.tool("poll", {}, async (_args, context) => {
    context.closeStream();
    await state.release.passed;
    return "came back";
  });
  return { ...legacy, state, store: eventStore as InMemoryEventStore };
}

function resume(peer: FakeClient, lastEventId: string): FakeResponse {
  return peer.get({ "last-event-id": lastEventId });
}

describe("with an event store", () => {
  it("a stream is primed for clients that know how, and every event has an id of its own", async () => {
    const { client, state } = setUp();
    const peer = await client().open();
    const [response, standalone] = [peer.call(1, "slow"), peer.get()];
    state.release.open();
    await response.ended();
    await settled();
    expect(response.events[0]).toEqual({ id: expect.stringMatching(/\.0$/), retry: "250", data: "" });
    expect(standalone.events).toEqual([{ id: expect.stringMatching(/\.0$/), retry: "250", data: "" }]);
    const ids = [...response.events, ...standalone.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    expect(new Set(response.events.map(({ id }) => id?.split(".")[0])).size).toBe(1);
    expect(response.messages).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }, { id: 1 }]);
  });

  it.each(["2025-03-26", "2025-06-18"] as const)("a client of %s gets no event without data", async (revision) => {
    const { client, state, server } = setUp();
    server.tool("plain", {}, (_args, context) => {
      context.closeStream();
      return "x";
    });
    const peer = await client({ revision }).open();
    const [response, standalone, plain] = [peer.call(1, "slow"), peer.get(), peer.call(2, "plain")];
    state.release.open();
    await Promise.all([response.ended(), plain.ended()]);
    expect(response.events.map(({ id, data }) => [id?.split(".")[1], data !== ""])).toEqual([
      ["1", true],
      ["2", true],
      ["3", true],
    ]);
    expect([standalone.events, plain.isStream]).toEqual([[], false]);
  });

  it("what was missed is replayed after the last id, of that stream alone, and the stream goes on", async () => {
    const { client, state, server } = setUp();
    const peer = await client().open();
    const [response, standalone] = [peer.call(1, "slow"), peer.get()];
    await response.received(1);
    const seen = response.lastId;
    response.disconnect();
    server.resource("a://b", { name: "b" }, () => "");
    server.announce.toolsChanged();
    const resumed = resume(peer, seen);
    state.release.open();
    await resumed.ended();
    expect(resumed.messages).toMatchObject([{ params: { progress: 2 } }, { id: 1, result: {} }]);
    await standalone.received(1);
    expect(standalone.messages).toHaveLength(1);
  });

  it("a stream that is over is replayed to its end, from anywhere in it", async () => {
    const { client, state } = setUp();
    const peer = await client().open();
    const response = peer.call(1, "slow");
    state.release.open();
    await response.ended();
    await settled();
    for (const [index, { id }] of response.events.slice(0, -1).entries()) {
      const again = await resume(peer, id ?? "").ended();
      expect(again.events).toEqual(response.events.slice(index + 1));
    }
    const nothingLeft = await resume(peer, response.lastId).ended();
    expect(nothingLeft.status).toBe(400);
  });

  it("a connection that was given up takes the place of the one before", async () => {
    const { client, state } = setUp();
    const peer = await client().open();
    const [response, standalone] = [peer.call(1, "slow"), peer.get()];
    await response.received(1);
    const [again, listening] = [resume(peer, response.lastId), resume(peer, standalone.lastId)];
    await settled();
    expect([response.isEnded, again.isEnded, standalone.isEnded, listening.isEnded]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    state.release.open();
    expect((await again.ended()).messages.at(-1)).toMatchObject({ id: 1 });
  });

  it.each([
    ["no id", "nonsense"],
    ["an unknown stream", "00000000-0000-4000-8000-000000000000.1"],
  ])("%s is refused with a status that keeps the session", async (_name, id) => {
    const { client } = setUp();
    const peer = await client().open();
    const refused = await resume(peer, id).ended();
    expect([refused.status, refused.json]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/Last-Event-ID/) } },
    ]);
    expect((await peer.request(1, "ping").ended()).status).toBe(200);
  });

  it("ids of other sessions and of events that were never sent are refused", async () => {
    const { client, state } = setUp();
    const [peer, other] = [await client().open(), await client().open()];
    const response = peer.call(1, "slow");
    await response.received(1);
    expect((await resume(other, response.lastId).ended()).status).toBe(400);
    expect((await resume(peer, response.lastId.replace(/\d+$/, "99")).ended()).status).toBe(400);
    expect(response.isEnded).toBe(false);
    state.release.open();
    await response.ended();
    await settled();
    expect((await resume(other, response.events[0]?.id ?? "").ended()).status).toBe(400);
  });

  it("events that were dropped are not passed over in silence", async () => {
    const { client, state, server } = setUp({ maxEvents: 1 });
    const peer = await client().open();
    const [response, standalone] = [peer.call(1, "slow"), peer.get()];
    await response.received(1);
    const first = response.events[0]?.id ?? "";
    await settled();
    standalone.disconnect();
    for (const name of ["x", "y"]) {
      server.tool(name, {}, () => "");
      await settled();
    }
    expect((await resume(peer, first).ended()).status).toBe(400);
    const listening = peer.get();
    await listening.received(1);
    expect(listening.messages).toHaveLength(1);
    state.release.open();
    await response.ended();
    await settled();
    expect((await resume(peer, first).ended()).status).toBe(400);
  });

  it("a cancelled request ends its stream and its rows; coming back for it is refused, nothing waits", async () => {
    const { client, state, store, endpoint } = setUp();
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await state.started.passed;
    const away = resume(peer, response.events[0]?.id ?? "");
    await away.received(1);
    peer.cancel(1);
    await away.ended();
    await settled();
    expect([away.messages.length, store.size]).toEqual([1, 0]);
    expect((await resume(peer, away.lastId).ended()).status).toBe(400);
    await peer.delete().ended();
    expect(endpoint.size).toBe(0);
  });

  it("a deleted session takes its rows along", async () => {
    const { client, state, store } = setUp();
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await state.started.passed;
    await settled();
    expect(store.size).toBe(1);
    await peer.delete().ended();
    expect([store.size, response.isEnded]).toEqual([0, true]);
  });

  it("a handler may let its client poll", async () => {
    const { client, state } = setUp();
    const peer = await client().open();
    const response = await peer.call(1, "poll").ended();
    expect(response.messages).toEqual([]);
    expect(response.events.at(-1)).toMatchObject({ retry: "250", data: "" });
    const polling = resume(peer, response.lastId);
    state.release.open();
    expect((await polling.ended()).messages).toMatchObject([{ id: 1, result: { content: [{ text: "came back" }] } }]);
  });

  it("without one, every id is unknown and closeStream changes nothing", async () => {
    const { client, server } = setUpLegacy();
    server.tool("poll", {}, (_args, context) => {
      context.closeStream();
      return "stayed";
    });
    const peer = await client().open();
    expect((await resume(peer, "00000000-0000-4000-8000-000000000000.1").ended()).status).toBe(400);
    expect((await peer.call(1, "poll").ended()).json).toMatchObject({ result: { content: [{ text: "stayed" }] } });
  });

  it("handlers still see who called, headers included", async () => {
    const { client, server } = setUp();
    server.handle("who", (_params, { caller }) => ({ ...caller, headers: caller?.headers }));
    const caller = { principal: "ann", details: 1, headers: { "x-from": "there" } };
    const peer = await client({ caller }).open();
    const [answer] = (await peer.request(1, "who").ended()).messages;
    expect(answer).toMatchObject({ result: caller });
    const nobody = await client().open();
    expect((await nobody.request(1, "who").ended()).messages[0]).toMatchObject({ result: {} });
  });
});

describe("an event store that fails", () => {
  class Failing extends InMemoryEventStore {
    failing = new Set<string>();
    readonly held: (() => void)[] = [];
    isSlow = false;
    override async append(sessionId: string, streamId: string, event: StoredEvent): Promise<unknown> {
      if (this.isSlow) await new Promise<void>((resolve) => this.held.push(resolve));
      if (this.failing.has("append")) throw new Error("disk full");
      return super.append(sessionId, streamId, event);
    }
    override async read(sessionId: string, streamId: string, after: number) {
      if (this.failing.has("read")) throw new Error("disk gone");
      return super.read(sessionId, streamId, after);
    }
    override async deleteStream(sessionId: string, streamId: string) {
      if (this.failing.has("delete")) throw new Error("disk gone");
      return super.deleteStream(sessionId, streamId);
    }
  }

  it("is reported; connected clients get their events all the same", async () => {
    const store = new Failing();
    store.failing.add("append");
    const { client, state, errors } = setUp({}, store);
    const peer = await client().open();
    const response = peer.call(1, "slow");
    state.release.open();
    await response.ended();
    expect(response.messages).toHaveLength(3);
    // Three events could not be stored. One report stands for all of ten seconds.
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: "handler-failed", cause: new Error("disk full") });
    expect((await resume(peer, response.events[0]?.id ?? "").ended()).status).toBe(400);
  });

  it("is a 500 to whoever needs it, and the next try may succeed", async () => {
    const store = new Failing();
    const { client, state, errors } = setUp({}, store);
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await response.received(1);
    store.failing.add("read");
    for (const refused of [resume(peer, response.lastId), peer.get()]) expect((await refused.ended()).status).toBe(503);
    expect(errors).toHaveLength(1);
    store.failing.clear();
    const resumed = resume(peer, response.lastId);
    state.release.open();
    expect((await resumed.ended()).messages.at(-1)).toMatchObject({ id: 1 });
    const standalone = peer.get();
    await settled();
    expect(standalone.status).toBe(200);
  });

  it("does not keep a cancelled request from ending", async () => {
    const store = new Failing();
    store.failing.add("delete");
    const { client, state, errors } = setUp({}, store);
    const peer = await client().open();
    const response = peer.call(1, "slow");
    await state.started.passed;
    peer.cancel(1);
    await response.ended();
    await settled();
    expect(errors).toHaveLength(1);
  });

  it("that is slow is not fed without bounds, and still gets the answer", async () => {
    const store = new Failing();
    const { client, server } = setUp({}, store);
    const outcomes: unknown[] = [];
    server.tool("flood", {}, async (_args, context) => {
      const sent = Array.from({ length: 30 }, (_, index) =>
        context.notify("notifications/x", { index, padding: "x".repeat(50_000) }).catch((error: unknown) => error),
      );
      outcomes.push(...(await Promise.all(sent.slice(25))));
      return "done";
    });
    const peer = await client().open();
    store.isSlow = true;
    const response = peer.call(1, "flood");
    while (!response.isEnded) {
      store.held.shift()?.();
      await settled();
    }
    expect(outcomes).toEqual(new Array(5).fill(expect.objectContaining({ code: "too-large" })));
    expect(response.messages.map(({ id, params }) => id ?? (params as { index: number }).index)).toEqual([
      ...new Array(20).keys(),
      1,
    ]);
  });
});

it("a session that ends leaves nothing in a slow store", async () => {
  const held: (() => void)[] = [];
  class Slow extends InMemoryEventStore {
    override async append(sessionId: string, streamId: string, event: StoredEvent): Promise<unknown> {
      await new Promise<void>((resolve) => held.push(resolve));
      return super.append(sessionId, streamId, event);
    }
  }
  const { client, state, store } = setUp({}, new Slow());
  const peer = await client().open();
  const response = peer.call(1, "slow");
  await settled();
  const deleting = peer.delete();
  await settled();
  const late = resume(peer, response.events[0]?.id ?? "");
  expect([response.isEnded, deleting.isEnded, (await late.ended()).status]).toEqual([true, false, 404]);
  // Not kept in the store, so it has no id to come back with.
  expect(response.messages.at(-1)).toMatchObject({ id: 1, error: { code: -32603 } });
  expect(response.events.at(-1)?.id).toBeUndefined();
  for (const resolve of held.splice(0)) resolve();
  await deleting.ended();
  state.release.open();
  await settled();
  expect(store.size).toBe(0);
});
