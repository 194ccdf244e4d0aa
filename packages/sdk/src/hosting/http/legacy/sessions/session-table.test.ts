import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeClient, gate, settled, setUpLegacy } from "../http-fakes.fixture.js";
import type { SessionEnd } from "../legacy-options.js";

const MINUTE = 60_000;

async function status(peer: FakeClient): Promise<number | undefined> {
  return (await peer.request("probe", "ping").ended()).status;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("idle sessions", () => {
  it("end after half an hour without use; every request starts it anew", async () => {
    const { client, endpoint } = setUpLegacy();
    const [one, other] = [await client().open(), await client().open()];
    await vi.advanceTimersByTimeAsync(29 * MINUTE);
    expect(await status(one)).toBe(200);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(endpoint.size).toBe(1);
    expect([await status(other), await status(one)]).toEqual([404, 200]);
    await vi.advanceTimersByTimeAsync(30 * MINUTE);
    expect([endpoint.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("last until the last millisecond of that half hour", async () => {
    const { client, endpoint } = setUpLegacy();
    await client().open();
    await vi.advanceTimersByTimeAsync(1_799_999);
    expect(endpoint.size).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(endpoint.size).toBe(0);
  });

  it("are not idle while a stream is open or a request runs", async () => {
    const { client, server, endpoint } = setUpLegacy({ sessionIdleMs: 1_000, keepAliveMs: Number.POSITIVE_INFINITY });
    const release = gate();
    server.tool("wait", {}, async () => {
      await release.passed;
      return "";
    });
    const [listening, running] = [await client().open(), await client().open()];
    const [stream, call] = [listening.get(), running.call(1, "wait")];
    call.disconnect();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(endpoint.size).toBe(2);
    stream.disconnect();
    release.open();
    await settled();
    await vi.advanceTimersByTimeAsync(999);
    expect(endpoint.size).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(endpoint.size).toBe(0);
  });

  it("may be kept for ever", async () => {
    const { client, endpoint } = setUpLegacy({ sessionIdleMs: Number.POSITIVE_INFINITY });
    await client().open();
    await vi.advanceTimersByTimeAsync(60 * 24 * 60 * MINUTE);
    expect(endpoint.size).toBe(1);
  });
});

describe("too many sessions", () => {
  it("make room by ending the one that was idle the longest, never one in use", async () => {
    const closed: [string, SessionEnd][] = [];
    const { client } = setUpLegacy({ maxSessions: 2, onSessionClosed: ({ id }, end) => void closed.push([id, end]) });
    const [used, idle] = [await client().open(), await client().open()];
    used.get();
    const third = await client().open();
    expect(closed).toEqual([[idle.sessionId, "evicted"]]);
    expect([await status(used), await status(idle), await status(third)]).toEqual([200, 404, 200]);
  });

  it("are 503 if all of them are in use, those that are being opened included", async () => {
    const { client, server, endpoint } = setUpLegacy({ maxSessions: 2 });
    const hold = gate();
    const peer = await client().open();
    peer.get();
    server.use(async ({ method }, next) => {
      if (method === "initialize") await hold.passed;
      return next();
    });
    const opening = client().initialize();
    const refused = await client().initialize().ended();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining("all 2 are in use") } });
    hold.open();
    expect((await opening.ended()).status).toBe(200);
    expect(endpoint.size).toBe(2);
  });

  it("are paid for by the principal that has the most", async () => {
    const { client } = setUpLegacy({ maxSessions: 3 });
    const as = (principal: string) => client({ caller: { principal } }).open();
    const polite = await as("polite");
    const [first, second] = [await as("greedy"), await as("greedy")];
    const third = await as("greedy");
    expect([await status(polite), await status(first), await status(second)]).toEqual([200, 404, 200]);
    const late = await as("late");
    expect([await status(polite), await status(late)]).toEqual([200, 200]);
    expect([await status(second), await status(third)].sort()).toEqual([200, 404]);
  });

  it("are paid for even by sessions in use, if their principal has two more", async () => {
    const { client } = setUpLegacy({ maxSessions: 3 });
    const as = (principal: string) => client({ caller: { principal } }).open();
    const greedy = [await as("greedy"), await as("greedy"), await as("greedy")];
    for (const session of greedy) session.get();
    const polite = await as("polite");
    expect(await Promise.all([polite, ...greedy].map(status))).toEqual([200, 404, 200, 200]);
    polite.get();
    const refused = await client({ caller: { principal: "greedy" } })
      .initialize()
      .ended();
    expect([refused.status, refused.json]).toMatchObject([503, { error: { code: 429, data: { limit: "server" } } }]);
    const third = client({ caller: { principal: "third" } });
    expect((await third.initialize().ended()).status).toBe(200);
    const fourth = await client({ caller: { principal: "fourth" } })
      .initialize()
      .ended();
    expect(fourth.status).toBe(200);
  });

  it("end when their bytes are needed by one that holds less", async () => {
    const { client } = setUpLegacy({}, { limits: { maxBytesPerSession: 50_000, maxBytes: 100_000 } });
    const as = (principal: string, size: number) =>
      client({ caller: { principal }, capabilities: { experimental: { x: { text: "x".repeat(size) } } } }).open();
    const polite = await as("polite", 10);
    const greedy = [await as("greedy", 12_000), await as("greedy", 15_000)];
    const late = await as("late", 10);
    expect(await Promise.all([polite, late, ...greedy].map(status))).toEqual([200, 200, 200, 404]);
  });

  it("that hold few bytes do not end for the bytes of others", async () => {
    const { client, server } = setUpLegacy({}, { limits: { maxBytesPerSession: 20_000, maxBytes: 50_000 } });
    const small = [await client().open(), await client().open()];
    server.hosting.limits.bytes.take(undefined, 40_000);
    const refused = await client({ capabilities: { experimental: { x: { text: "x".repeat(4_000) } } } })
      .initialize()
      .ended();
    expect(refused.status).toBe(503);
    expect(await Promise.all(small.map(status))).toEqual([200, 200]);
  });

  it("do not end for an initialize that fails", async () => {
    const { client } = setUpLegacy({ maxSessions: 1 }, { limits: { maxBytesPerSession: 1_000 } });
    const polite = await client({ caller: { principal: "polite" } }).open();
    const mallory = client({ caller: { principal: "mallory" } });
    expect((await mallory.request(0, "initialize").ended()).json).toMatchObject({ error: { code: -32602 } });
    const capabilities = { experimental: { x: { text: "x".repeat(1_000) } } };
    const large = await client({ caller: { principal: "mallory" }, capabilities })
      .initialize()
      .ended();
    expect([large.status, large.json]).toMatchObject([429, { error: { data: { limit: "session" } } }]);
    expect(await status(polite)).toBe(200);
  });

  it("leave no bytes behind if their handshake is refused", async () => {
    const { client, server } = setUpLegacy({}, { limits: { maxBytesPerSession: 1_000 } });
    server.use(({ method }, next) => {
      if (method === "initialize") throw new Error("not today");
      return next();
    });
    await client().initialize().ended();
    expect(server.hosting.limits.bytes.used).toBe(0);
  });

  it("count the bytes of their requests in progress", async () => {
    const { client, server } = setUpLegacy({}, { limits: { maxBytesPerConnection: 1_000 } });
    server.tool("wait", {}, () => new Promise<string>(() => {}));
    const peer = await client({ caller: { messageBytes: 600 } }).open();
    peer.call(1, "wait");
    const second = await peer.call(2, "wait").ended();
    expect([second.status, second.json]).toMatchObject([429, { error: { data: { limit: "session" } } }]);
  });

  it("are refused where their bytes are used up by what cannot end", async () => {
    const { client, endpoint } = setUpLegacy({}, { limits: { maxBytesPerSession: 2_000, maxBytes: 2_500 } });
    const capabilities = { experimental: { x: { text: "x".repeat(700) } } };
    const busy = await client({ capabilities }).open();
    busy.get();
    const refused = await client({ capabilities }).initialize().ended();
    expect([refused.status, refused.headers["retry-after"], refused.json]).toMatchObject([
      503,
      "1",
      { error: { code: 429, data: { limit: "server", retryAfterMs: 1_000 } } },
    ]);
    expect(endpoint.size).toBe(1);
  });

  it("are more than 10,000 by default", async () => {
    const closed = vi.fn();
    const { client, endpoint } = setUpLegacy({ onSessionClosed: closed });
    await Promise.all(Array.from({ length: 10_000 }, () => client().initialize().ended()));
    expect([endpoint.size, closed.mock.calls.length]).toEqual([10_000, 0]);
    await client().initialize().ended();
    expect([endpoint.size, closed.mock.calls.length]).toEqual([10_000, 1]);
  }, 30_000);

  it("never come of requests that are refused", async () => {
    const { client, endpoint } = setUpLegacy();
    for (let round = 0; round < 1_000; round += 1) {
      client().request(1, "initialize", { protocolVersion: 7 });
      client().request(1, "tools/list");
      client().post({ method: "initialize" });
    }
    await settled();
    await vi.advanceTimersByTimeAsync(0);
    expect([endpoint.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe("hooks", () => {
  it("hear of sessions that open and how they end", async () => {
    const heard: unknown[] = [];
    const { client, endpoint } = setUpLegacy({
      sessionIdleMs: 1_000,
      onSessionOpened: ({ id, principal }) => void heard.push(["opened", id, principal]),
      onSessionClosed: ({ id, principal }, end) => void heard.push([end, id, principal]),
    });
    const ann = await client({ caller: { principal: "ann" } }).open();
    await ann.delete().ended();
    const second = await client().open();
    await vi.advanceTimersByTimeAsync(1_000);
    const third = await client().open();
    await endpoint.close();
    expect(heard).toEqual([
      ["opened", ann.sessionId, "ann"],
      ["deleted", ann.sessionId, "ann"],
      ["opened", second.sessionId, undefined],
      ["idle", second.sessionId, undefined],
      ["opened", third.sessionId, undefined],
      ["shutdown", third.sessionId, undefined],
    ]);
  });

  it("that fail are reported, and harm nobody", async () => {
    const { client, errors } = setUpLegacy({
      onSessionOpened: () => {
        throw new Error("hook");
      },
    });
    const peer = await client().open();
    expect(await status(peer)).toBe(200);
    expect(errors).toMatchObject([{ code: "handler-failed", cause: new Error("hook") }]);
  });
});
