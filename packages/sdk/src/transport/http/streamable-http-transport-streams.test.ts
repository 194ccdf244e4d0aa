import { describe, expect, it, vi } from "vitest";
import type { StreamOptions } from "./http-client-options.js";
import {
  answerTo,
  legacy,
  modern,
  notification,
  openQuietSession,
  openSession,
  settle,
  startStreamable,
} from "./transport-set-up.fixture.js";

const CHANGED = notification("notifications/tools/list_changed");
const POST = "POST http://mcp.example/mcp";
const GET = "GET http://mcp.example/mcp";

/** Waits that take no time, and how long each would have been. */
function noWaiting(options: StreamOptions = {}) {
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  return { waits, streams: { random: () => 0, wait, ...options } };
}

describe("the stream of a legacy request", () => {
  it("is resumed after its last event until the answer is there", async () => {
    const { waits, streams } = noWaiting();
    const setUp = startStreamable({ streams });
    const { transport, http, received } = setUp;
    await openQuietSession(setUp);
    received.length = 0;
    const sent = transport.send(legacy(2, "tools/call"));
    const first = (await http.next()).stream();
    first.write("id: a\nretry: 2500\ndata:\n\n");
    first.end();
    const resumed = await http.next();
    expect(resumed.init).toMatchObject({
      method: "GET",
      headers: { accept: "text/event-stream", "last-event-id": "a", "mcp-session-id": "s-1" },
    });
    const second = resumed.stream();
    second.event(CHANGED, "b");
    second.write("data: {");
    await settle();
    second.fail(new Error("reset"));
    const again = await http.next();
    expect(again.header("last-event-id")).toBe("b");
    again.stream().event(answerTo(2), "c");
    await sent;
    await settle();
    expect(received).toEqual([CHANGED, answerTo(2)]);
    expect(waits).toEqual([2500, 2500]);
    expect(http.log.filter((entry) => entry === "GET")).toHaveLength(3);
  });

  it("is not resumed without an event id", async () => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    await openQuietSession(setUp);
    const sent = setUp.transport.send(legacy(2, "tools/call"));
    const stream = (await setUp.http.next()).stream();
    stream.event(CHANGED);
    stream.end();
    await expect(sent).rejects.toMatchObject({
      code: "stream-ended",
      message: `${POST}: the stream ended early and cannot be resumed`,
    });
  });

  it("is not resumed in the modern era, whatever ids its events have", async () => {
    const { transport, http } = startStreamable({ streams: noWaiting().streams });
    const sent = transport.send(modern(1, "tools/call"));
    const stream = (await http.next()).stream();
    stream.event(CHANGED, "a");
    stream.end();
    await expect(sent).rejects.toMatchObject({ code: "stream-ended" });
    expect(http.calls).toHaveLength(1);
  });

  it("is given up after so many attempts that brought nothing, clean ends included", async () => {
    const { waits, streams } = noWaiting({ maxAttempts: 3, initialDelayMs: 1000, maxDelayMs: 3000 });
    const setUp = startStreamable({ streams });
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/call"));
    const stream = (await http.next()).stream();
    stream.event(CHANGED, "a");
    stream.end();
    const refused = expect(sent).rejects.toMatchObject({
      code: "stream-ended",
      message: `${POST}: the stream was lost, and 3 attempts to resume it brought nothing`,
      cause: { status: 503 },
    });
    const clean = (await http.next()).stream();
    clean.write("id: b\ndata:\n\n");
    clean.end();
    (await http.next()).fail(new Error("unreachable"));
    (await http.next()).respond(503);
    await refused;
    expect(waits).toEqual([1000, 2000, 3000]);
  });

  it.each([
    [404, { code: "stream-ended", cause: { code: "session-expired" } }],
    [400, { code: "stream-ended", status: 400, cause: { code: "http-error" } }],
    [405, { code: "stream-ended", status: 405, cause: { code: "http-error" } }],
  ])("is given up at once on %i", async (status, error) => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/call"));
    const stream = (await http.next()).stream();
    stream.write("id: a\ndata:\n\n");
    stream.end();
    (await http.next()).respond(status);
    await expect(sent).rejects.toMatchObject(error);
  });

  it.each([408, 409, 429, 500])("is tried again after %i", async (status) => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    const { transport, http } = setUp;
    await openQuietSession(setUp);
    const sent = transport.send(legacy(2, "tools/call"));
    const stream = (await http.next()).stream();
    stream.write("id: a\ndata:\n\n");
    stream.end();
    (await http.next()).respond(status);
    (await http.next()).stream().event(answerTo(2));
    await sent;
  });
});

describe("the standalone stream", () => {
  it("opens once the handshake is confirmed, brings messages, and comes back when it is lost", async () => {
    const { waits, streams } = noWaiting();
    const setUp = startStreamable({ streams });
    const { transport, http, received, errors } = setUp;
    await openSession(setUp);
    received.length = 0;
    const first = await http.next();
    expect(first.header("last-event-id")).toBeUndefined();
    const stream = first.stream();
    stream.event(CHANGED);
    stream.end();
    const second = await http.next();
    expect(second.header("last-event-id")).toBeUndefined();
    const resumed = second.stream();
    resumed.event(CHANGED, "7");
    await settle();
    resumed.fail(new Error("reset"));
    const third = await http.next();
    expect(third.header("last-event-id")).toBe("7");
    third.stream();
    expect(received).toEqual([CHANGED, CHANGED]);
    expect(waits).toEqual([1000, 1000]);
    const closing = transport.close();
    expect(third.isAborted).toBe(true);
    (await http.next()).respond(200);
    await closing;
    expect(errors).toEqual([]);
  });

  it.each([
    ["an empty one", ""],
    ["one over 1,024 characters", "x".repeat(1_025)],
  ])("comes back without an event id after %s", async (_what, id) => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    await openSession(setUp);
    const first = (await setUp.http.next()).stream();
    first.event(CHANGED, "7");
    await settle();
    first.event(CHANGED, id);
    first.end();
    expect((await setUp.http.next()).header("last-event-id")).toBeUndefined();
  });

  it("need not exist", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    await settle();
    expect(setUp.errors).toEqual([]);
    expect(setUp.http.calls).toHaveLength(3);
  });

  it("is not opened if the handshake is not accepted, nor in the modern era", async () => {
    const { transport, http } = startStreamable();
    const ready = transport.send(notification("notifications/initialized"));
    (await http.next()).respond(400);
    await expect(ready).rejects.toMatchObject({ status: 400 });
    expect(http.calls).toHaveLength(1);
  });

  it.each([
    ["a refusal", 400, {}, { code: "http-error", status: 400 }],
    ["a session that is gone", 404, {}, { code: "session-expired" }],
    ["HTML", 200, { "content-type": "text/html" }, { code: "invalid-message", message: expect.stringContaining(GET) }],
  ])("reports %s, and the connection goes on", async (_what, status, headers, error) => {
    const setUp = startStreamable();
    await openSession(setUp);
    (await setUp.http.next()).respond(status, headers, "no");
    await settle();
    expect(setUp.errors).toMatchObject([error]);
    const sent = setUp.transport.send(legacy(2, "ping"));
    (await setUp.http.next()).result();
    await sent;
  });

  it("is not missed where there is no session and no such page", async () => {
    const { transport, http, errors } = startStreamable();
    const initialized = transport.send(legacy("init", "initialize"));
    (await http.next()).result({ protocolVersion: "2025-11-25" });
    await initialized;
    const ready = transport.send(notification("notifications/initialized"));
    (await http.next()).accept();
    await ready;
    (await http.next()).respond(404);
    await settle();
    expect(errors).toEqual([]);
  });

  it("begins anew, and says so, if the server no longer knows its last event", async () => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    const { http, errors, received } = setUp;
    await openSession(setUp);
    received.length = 0;
    const first = (await http.next()).stream();
    first.event(CHANGED, "a");
    first.end();
    const refused = await http.next();
    expect(refused.header("last-event-id")).toBe("a");
    refused.respond(400);
    const anew = await http.next();
    expect(anew.header("last-event-id")).toBeUndefined();
    anew.stream().event(CHANGED);
    await settle();
    expect(received).toEqual([CHANGED, CHANGED]);
    expect(errors).toMatchObject([
      {
        code: "stream-ended",
        message: expect.stringContaining(`${GET}: the stream begins anew`),
        cause: { status: 400 },
      },
    ]);
  });

  it("is opened again while the server has not noticed yet that it was lost", async () => {
    const setUp = startStreamable({ streams: noWaiting().streams });
    await openSession(setUp);
    (await setUp.http.next()).stream().end();
    (await setUp.http.next()).respond(409);
    setUp.received.length = 0;
    (await setUp.http.next()).stream().event(CHANGED);
    await settle();
    expect([setUp.received, setUp.errors]).toEqual([[CHANGED], []]);
  });

  it("reports that it stays lost, once", async () => {
    const { waits, streams } = noWaiting({ maxAttempts: 2 });
    const setUp = startStreamable({ streams });
    await openSession(setUp);
    for (let call = 0; call < 3; call++) (await setUp.http.next()).stream().end();
    await settle();
    expect(setUp.errors).toMatchObject([
      { code: "stream-ended", message: `${GET}: the stream was lost, and 2 attempts to resume it brought nothing` },
    ]);
    expect(waits).toEqual([1000, 2000]);
  });

  it("is given up after eight attempts by default", async () => {
    const { waits, streams } = noWaiting({});
    const setUp = startStreamable({ streams });
    await openSession(setUp);
    (await setUp.http.next()).stream().end();
    for (let call = 0; call < 8; call++) (await setUp.http.next()).respond(503);
    await settle();
    expect(setUp.errors).toMatchObject([{ message: expect.stringContaining("8 attempts to resume it") }]);
    expect(waits).toHaveLength(8);
  });

  it("counts from the start again after a connection that lasted", async () => {
    const now = vi.spyOn(performance, "now");
    try {
      const { waits, streams } = noWaiting({ maxAttempts: 1 });
      const setUp = startStreamable({ streams });
      await openSession(setUp);
      for (let call = 0; call < 3; call++) {
        now.mockReturnValue(0);
        const stream = (await setUp.http.next()).stream();
        await settle();
        now.mockReturnValue(30_000);
        stream.end();
        await settle();
      }
      expect(waits).toEqual([1000, 1000, 1000]);
      expect(setUp.errors).toEqual([]);
    } finally {
      now.mockRestore();
    }
  });

  it("waits no longer once the connection is closed", async () => {
    vi.useFakeTimers();
    try {
      const headers = vi.fn(() => ({}));
      const setUp = startStreamable({ headers });
      const { transport, http } = setUp;
      await openSession(setUp);
      (await http.next()).stream().end();
      await vi.advanceTimersByTimeAsync(0);
      expect(vi.getTimerCount()).toBe(1);
      const closing = transport.close();
      (await http.next()).respond(200);
      await closing;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(vi.getTimerCount()).toBe(0);
      expect(http.log).toEqual(["POST initialize", "POST notifications/initialized", "GET", "DELETE"]);
      expect(headers).toHaveBeenCalledTimes(4);
    } finally {
      vi.useRealTimers();
    }
  });
});
