import type { StreamOptions } from "parley-mcp/client";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { connectLegacy, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const RESULT = { content: [{ type: "text", text: "done" }] };

/** Attempts follow each other without delay; what the delay would have been is kept. */
function noWaiting(options: StreamOptions = {}) {
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  return { waits, streams: { wait, random: () => 0, ...options } };
}

verifies(
  ["client-transport:http:accept-header-get", "client-transport:http:reconnect-get"],
  "the standalone stream brings messages, and is resumed after the last event when it is lost",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client, errors } = await connectLegacy(server, { http: { streams: noWaiting().streams } });
    const changed = vi.fn();
    client.onNotification("notifications/tools/list_changed", changed);
    const first = await server.next();
    first.stream();
    first.event(CHANGED, "event-1");
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    first.reset();
    const second = await server.next();
    second.stream();
    second.event(CHANGED, "event-2");
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));

    expect([first, second].map((call) => [call.header("accept"), call.header("last-event-id")])).toEqual([
      ["text/event-stream", undefined],
      ["text/event-stream", "event-1"],
    ]);
    await client.close();
    expect(errors).toEqual([]);
  },
);

verifies(
  "client-transport:http:event-id-limit",
  "a stream with an id of 1,024 characters is resumed after it, and one with a longer id after none",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client } = await connectLegacy(server, { http: { streams: noWaiting().streams } });
    const changed = vi.fn();
    client.onNotification("notifications/tools/list_changed", changed);
    for (const [index, id] of ["x".repeat(1_024), "x".repeat(1_025)].entries()) {
      const stream = await server.next();
      stream.stream();
      stream.event(CHANGED, id);
      await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(index + 1));
      stream.reset();
      if (index === 0) expect(stream.header("last-event-id")).toBeUndefined();
      else expect(stream.header("last-event-id")).toHaveLength(1_024);
    }
    const last = await server.next();
    last.stream();

    expect(last.header("last-event-id")).toBeUndefined();
    await client.close();
  },
);

verifies(
  ["client-transport:http:reconnect-post-priming", "client-transport:http:no-reconnect-after-response"],
  "the stream of a call is resumed by GET if it gave an event id, until the answer is there and no longer",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client } = await connectLegacy(server, { http: { streams: noWaiting().streams } });
    (await server.next()).respond(405);
    const called = client.callTool("slow");
    const call = await server.next();
    call.stream();
    call.write("id: primed\ndata:\n\n");
    call.end();
    const resumed = await server.next();
    resumed.stream();
    resumed.event({ jsonrpc: "2.0", id: call.message?.id, result: RESULT }, "answered");
    resumed.end();
    expect((await called).content).toEqual(RESULT.content);
    expect([resumed.verb, resumed.header("last-event-id"), resumed.header("mcp-session-id")]).toEqual([
      "GET",
      "primed",
      "session-1",
    ]);
    const unprimed = client.callTool("slow");
    const other = await server.next();
    other.stream();
    other.event(CHANGED);
    other.end();

    await expect(unprimed).rejects.toMatchObject({ code: "stream-ended" });
    expect(server.log.filter((entry) => entry === "GET")).toHaveLength(2);
    await client.close();
  },
);

verifies(
  ["client-transport:http:reconnect-retry-value", "client-transport:http:reconnection-scheduler"],
  "the server's retry sets the wait before a resume, and a scheduler of the application can do the waiting",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { waits, streams } = noWaiting();
    const { client } = await connectLegacy(server, { http: { streams } });
    for (const retry of [2_500, 0, 600_000]) {
      const call = await server.next();
      call.stream();
      call.write(`retry: ${retry}\n`);
      call.event(CHANGED);
      call.end();
    }
    (await server.next()).respond(405);

    expect(waits).toEqual([2_500, 100, 600_000]);
    await client.close();
  },
);

verifies(
  "client-transport:http:reconnect-retry-value",
  "a server that asks for a day is not called earlier: the client gives the stream up and names the option",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { waits, streams } = noWaiting();
    const { client, errors } = await connectLegacy(server, { http: { streams } });
    const call = await server.next();
    call.stream();
    call.write("retry: 86400000\n");
    call.event(CHANGED);
    call.end();

    await vi.waitFor(() => expect(errors).toHaveLength(1));
    const message = expect.stringMatching(/86400000 ms.*streams\.maxRetryMs allows 600000/);
    expect(errors).toMatchObject([{ code: "stream-ended", message }]);
    expect(waits).toEqual([]);
    await client.close();
  },
);

verifies(
  "client-transport:http:reconnect-retry-value",
  "the wait is drawn out by chance, up to a quarter, so that clients do not come back in step",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const chances = [1, 0.4, 0];
    const { waits, streams } = noWaiting({ random: () => chances.shift() ?? 0 });
    const { client } = await connectLegacy(server, { http: { streams } });
    for (let round = 0; round < 3; round += 1) {
      const call = await server.next();
      call.stream();
      call.write("retry: 2000\n");
      call.event(CHANGED);
      call.end();
    }
    (await server.next()).respond(405);

    expect(waits).toEqual([2_500, 2_200, 2_000]);
    await client.close();
  },
);

verifies(
  ["client-transport:http:reconnects-are-bounded", "client-transport:http:reconnect-failure-onerror"],
  "attempts that bring nothing are counted, clean ends too, wait longer each time, and their end is reported",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { waits, streams } = noWaiting({ maxAttempts: 3 });
    const { client, errors } = await connectLegacy(server, { http: { streams } });
    for (let call = 0; call < 4; call++) {
      const got = await server.next();
      got.stream();
      got.write(`id: ${call}\ndata:\n\n`);
      got.end();
    }
    await vi.waitFor(() => expect(errors).toHaveLength(1));

    expect(errors).toMatchObject([{ code: "stream-ended", message: expect.stringContaining("3 attempts") }]);
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    const pinged = client.ping();
    (await server.next()).result({});
    await pinged;
    await client.close();
  },
);

verifies(
  "client-transport:http:begins-anew",
  "a server that was restarted, and one that has not noticed the loss, get the stream opened again",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client, errors } = await connectLegacy(server, { http: { streams: noWaiting().streams } });
    const changed = vi.fn();
    client.onNotification("notifications/tools/list_changed", changed);
    const first = await server.next();
    first.stream();
    first.event(CHANGED, "event-1");
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    first.reset();
    const forgotten = await server.next();
    forgotten.respond(400);
    const taken = await server.next();
    taken.respond(409);
    const anew = await server.next();
    anew.stream();
    anew.event(CHANGED);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));

    expect([forgotten, taken, anew].map((call) => call.header("last-event-id"))).toEqual([
      "event-1",
      undefined,
      undefined,
    ]);
    expect(errors).toMatchObject([{ code: "stream-ended", message: expect.stringContaining("begins anew") }]);
    await client.close();
  },
);

verifies(
  "client-transport:http:no-reconnect-after-close",
  "a closed client opens no stream again, and does not wait to",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const waiting = deferred<AbortSignal>();
    const wait = (_ms: number, signal: AbortSignal) => {
      waiting.resolve(signal);
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    const { client, errors } = await connectLegacy(server, { http: { streams: { wait } } });
    const call = await server.next();
    call.stream();
    call.end();
    const signal = await waiting.promise;
    await client.close();

    expect(signal.aborted).toBe(true);
    expect(server.log.filter((entry) => entry === "GET")).toHaveLength(1);
    expect(errors).toEqual([]);
  },
);
