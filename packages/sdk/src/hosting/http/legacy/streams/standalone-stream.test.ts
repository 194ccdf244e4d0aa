import { describe, expect, it, vi } from "vitest";
import type { JsonRpcMessage } from "../../../../wire/json-rpc.js";
import { FakeRequest, FakeResponse, settled, setUpLegacy } from "../http-fakes.fixture.js";
import { EventConnection } from "./event-connection.js";
import { InMemoryEventStore } from "./event-store.js";
import { outgoing } from "./event-stream.js";
import { BufferedStream } from "./standalone-stream.js";

const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const;

function connect(): { response: FakeResponse; open: () => EventConnection } {
  const request = new FakeRequest("GET");
  const response = new FakeResponse(request);
  return { response, open: () => new EventConnection(request, response, 15_000, () => undefined) };
}

describe.each([
  ["without a store", () => undefined],
  ["with a store", () => new InMemoryEventStore()],
])("the standalone stream, %s", (_name, createStore) => {
  function setUp() {
    const eventStore = createStore();
    const legacy = setUpLegacy({ eventStore });
    legacy.server.tool("one", {}, () => "");
    return legacy;
  }

  it("carries what belongs to no request, to the sessions alone that wait for it, and never twice", async () => {
    const { client, server } = setUp();
    const [one, other, deaf] = [await client().open(), await client().open(), client()];
    const [first, second] = [one.get(), other.get()];
    await settled();
    expect([first.status, first.isStream]).toEqual([200, true]);
    const running = one.call(1, "one");
    server.tool("two", {}, () => "");
    await Promise.all([first.received(1), second.received(1), running.ended()]);
    await settled();
    expect(first.messages).toMatchObject([{ method: "notifications/tools/list_changed" }]);
    expect(second.messages).toEqual(first.messages);
    expect(running.text).not.toContain("list_changed");
    expect(deaf.sessionId).toBeUndefined();
  });

  it("is one per session, until it is closed", async () => {
    const { client } = setUp();
    const peer = await client().open();
    const first = peer.get();
    const second = await peer.get().ended();
    expect([second.status, second.json]).toMatchObject([409, { error: { code: -32600 } }]);
    await settled();
    expect((await peer.get().ended()).status).toBe(409);
    first.disconnect();
    const third = peer.get();
    await settled();
    expect([third.status, third.isStream]).toEqual([200, true]);
  });

  it("takes 406 for clients that do not want one", async () => {
    const { client } = setUp();
    const peer = await client().open();
    expect((await peer.get({ accept: "application/json" }).ended()).status).toBe(406);
    const any = peer.get({ accept: "*/*" });
    await settled();
    expect(any.isStream).toBe(true);
  });

  it("has what nobody heard for the next who listens", async () => {
    const { client, server } = setUp();
    const peer = await client().open();
    server.tool("two", {}, () => "");
    await settled();
    const first = peer.get();
    expect(await first.received(1)).toMatchObject([{ method: "notifications/tools/list_changed" }]);
    first.disconnect();
    server.resource("a://b", { name: "b" }, () => "");
    server.tool("three", {}, () => "");
    await settled();
    const second = peer.get();
    await second.received(1);
    await settled();
    expect(second.messages).toHaveLength(1);
  });
});

describe("a stream without a store", () => {
  it("refuses questions that nobody hears, and forgets the oldest of what waits too long", async () => {
    const stream = new BufferedStream();
    const question: JsonRpcMessage = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(() => stream.emit(outgoing(question))).toThrow(expect.objectContaining({ code: "connection-closed" }));
    for (let number = 0; number < 2_000; number += 1) stream.emit(outgoing({ ...changed, params: { number } }));
    const { response, open } = connect();
    stream.listen(open);
    const numbers = response.messages.map(({ params }) => (params as { number: number }).number);
    expect(numbers.at(-1)).toBe(1_999);
    expect(numbers.length).toBeLessThan(500);
    expect(response.text.length).toBeLessThan(40_000);
    stream.emit(outgoing(question));
    expect(response.messages.at(-1)).toEqual(question);
    stream.pause();
    expect(response.isEnded).toBe(true);
  });

  it("keeps 32,768 characters for a client that does not listen any more", () => {
    const kept = (characters: number) => {
      const stream = new BufferedStream();
      const before = connect();
      stream.emit(outgoing(changed));
      stream.listen(before.open);
      before.response.isFull = true;
      const rest = JSON.stringify({ ...changed, params: { text: "" } }).length;
      stream.emit(outgoing({ ...changed, params: { text: "x".repeat(characters - rest) } }));
      const { response, open } = connect();
      stream.listen(open);
      return response.messages.length;
    };
    expect([kept(32_768), kept(32_769)]).toEqual([1, 0]);
  });

  it("keeps what a full queue did not take", () => {
    const stream = new BufferedStream();
    const [stuck, next] = [connect(), connect()];
    stream.listen(stuck.open);
    stuck.response.isFull = true;
    stream.emit(outgoing(changed));
    expect(stream.isConnected).toBe(false);
    stream.listen(next.open);
    expect(next.response.messages).toEqual([changed]);
  });
});

it("is kept alive, and notices by that when its client has gone", async () => {
  vi.useFakeTimers();
  try {
    const { client } = setUpLegacy({ keepAliveMs: 1_000 });
    const peer = await client().open();
    const stream = peer.get();
    vi.advanceTimersByTime(1_000);
    expect(stream.text).toBe(":\n\n");
    stream.isFull = true;
    vi.advanceTimersByTime(1_000);
    expect(peer.get().isStream).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
