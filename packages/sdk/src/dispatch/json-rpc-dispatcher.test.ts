import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { everythingDelivered } from "./contract/connection.fixture.js";
import { connectRawPeer } from "./contract/raw-peer.fixture.js";
import type { Receiver } from "./dispatcher.js";

const refusal = (id?: string | number) => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  error: { code: -32600, message: expect.stringMatching(/^Invalid request: /) },
});

it("serves batches of 100 messages by default", async () => {
  await using connection = await connectRawPeer({ acceptsBatches: true });
  const batch = (length: number) =>
    Array.from({ length }, (_, index) => ({ jsonrpc: "2.0", id: index + 1, method: "a" }));
  await connection.say(batch(100));
  expect(connection.received).toEqual([expect.objectContaining({ length: 100 })]);
  expect(connection.errors).toEqual([]);
  await connection.say(batch(101));
  expect(connection.errors).toMatchObject([{ code: "invalid-message" }]);
});

describe("messages that are not valid", () => {
  it.each([
    ["a scalar", 42, refusal()],
    ["null", null, refusal()],
    ["an empty array", [], refusal()],
    ["a null id", { jsonrpc: "2.0", id: null, method: "a" }, refusal()],
    ["a fractional id", { jsonrpc: "2.0", id: 1.5, method: "a" }, refusal()],
    ["another JSON-RPC version", { jsonrpc: "1.0", id: 7, method: "a" }, refusal(7)],
    ["params that are an array", { jsonrpc: "2.0", id: "7", method: "a", params: [] }, refusal("7")],
    ["neither method nor result", { jsonrpc: "2.0", id: 7 }, refusal(7)],
  ])("answers %s with -32600 and reports it", async (_what, message, answer) => {
    await using connection = await connectRawPeer();
    await connection.say(message);
    expect(connection.received).toEqual([answer]);
    expect(connection.errors).toMatchObject([{ code: "invalid-message" }]);
  });

  it.each([
    ["an answer with both result and error", { jsonrpc: "2.0", id: 9, result: {}, error: { code: 1, message: "" } }],
    ["an answer without an id", { jsonrpc: "2.0", result: {} }],
    ["an answer of another version", { id: 9, result: {} }],
    ["a notification with bad params", { jsonrpc: "2.0", method: "notifications/a", params: 1 }],
  ])("reports %s and answers nothing", async (_what, message) => {
    await using connection = await connectRawPeer();
    await connection.say(message);
    expect(connection.received).toEqual([]);
    expect(connection.errors).toMatchObject([{ code: "invalid-message" }]);
  });

  it.each([
    [
      "both result and error",
      { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "" } },
      "invalid-message",
    ],
    ["neither", { jsonrpc: "2.0", id: 1 }, "invalid-message"],
    ["a malformed error", { jsonrpc: "2.0", id: "1", error: "no" }, "invalid-message"],
    ["a result that is no object", { jsonrpc: "2.0", id: 1, result: [] }, "invalid-result"],
  ])("rejects the request whose answer has %s", async (_what, message, code) => {
    await using connection = await connectRawPeer();
    const call = expect(connection.dispatcher.request("work")).rejects.toMatchObject({ code, message: /work/ });
    await connection.say(message);
    await call;
    expect(connection.received).toHaveLength(1);
    expect(connection.errors).toEqual([]);
  });

  it("rejects the requests whose answers lie in a batch where there are none", async () => {
    await using connection = await connectRawPeer();
    const refused = { code: "invalid-message", message: expect.stringMatching(/to work is not valid: batches/) };
    const first = expect(connection.dispatcher.request("work")).rejects.toMatchObject(refused);
    const second = expect(connection.dispatcher.request("work")).rejects.toMatchObject(refused);
    const third = expect(connection.dispatcher.request("work")).rejects.toMatchObject(refused);
    const error = { code: 1, message: "no" };
    await connection.say([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error },
      { jsonrpc: "2.0", error },
      { jsonrpc: "1.0", id: 3, result: {} },
      { jsonrpc: "2.0", id: 3, method: "a" },
      [{ jsonrpc: "2.0", id: 1, result: {} }],
    ]);
    await first;
    await second;
    await third;
    expect(connection.received.slice(3)).toEqual([refusal()]);
  });

  it("does not take an invalid request for the answer to its own with the same id", async () => {
    await using connection = await connectRawPeer();
    const call = connection.dispatcher.request("work");
    await connection.say(
      { jsonrpc: "2.0", id: 1, method: "a", params: [] },
      { jsonrpc: "2.0", id: 1, result: { ok: 1 } },
    );
    expect(await call).toEqual({ ok: 1 });
  });

  it.each([null, undefined])("reports an error answer with id %s", async (id) => {
    await using connection = await connectRawPeer();
    await connection.say({ jsonrpc: "2.0", id, error: { code: -32700, message: "Parse error", data: 1 } });
    expect(connection.errors).toMatchObject([
      { code: "unexpected-answer", message: /names no request/, cause: { code: -32700, data: 1 } },
    ]);
    expect(connection.received).toEqual([]);
  });

  it("drops and reports unknown, late and duplicate answers", async () => {
    await using connection = await connectRawPeer();
    const call = connection.dispatcher.request("work");
    const answer = { jsonrpc: "2.0", id: 1, result: {} };
    await connection.say(answer, answer, { jsonrpc: "2.0", id: "x", error: { code: -1, message: "no" } });
    await call;
    expect(connection.errors).toMatchObject([
      { code: "unexpected-answer", message: /request 1/ },
      { code: "unexpected-answer", message: /request "x"/, cause: { code: -1 } },
    ]);
  });

  it("answers -32700 to text that is not JSON and -32600 to nesting over the limit, and goes on", async () => {
    await using connection = await connectRawPeer();
    await connection.peer.sendText('{"jsonrpc":');
    await connection.peer.sendText(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    await connection.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(connection.received).toMatchObject([
      { jsonrpc: "2.0", error: { code: -32700 } },
      { jsonrpc: "2.0", error: { code: -32600 } },
      { id: 1, result: { method: "ping" } },
    ]);
    expect(connection.received[0]).not.toHaveProperty("id");
    expect(connection.errors).toMatchObject([{ code: "invalid-message" }, { code: "invalid-message" }]);
  });

  it("does not let a __proto__ key reach any prototype", async () => {
    const request = vi.fn<Receiver["request"]>(() => ({}));
    await using connection = await connectRawPeer({ request });
    await connection.peer.sendText('{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{"polluted":true}}}');
    await everythingDelivered();
    const params = request.mock.calls[0]?.[0].params;
    expect(Object.keys(params ?? {})).toEqual(["__proto__"]);
    expect(params?.polluted).toBeUndefined();
  });

  it("survives any sequence of JSON values and still answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (values) => {
        await using connection = await connectRawPeer({ acceptsBatches: true });
        await connection.say(...values, { jsonrpc: "2.0", id: "last", method: "ping" });
        expect(connection.received.at(-1)).toEqual({ jsonrpc: "2.0", id: "last", result: { method: "ping" } });
      }),
      { numRuns: 50 },
    );
  });
});

describe("a cancellation that overtakes its request", () => {
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const call = (method: string) => ({ jsonrpc: "2.0", id: 7, method });

  it("holds in a session, where each message may come over a connection of its own", async () => {
    await using connection = await connectRawPeer({}, { hasSession: true });
    await connection.say(cancelled, call("a"));
    expect(connection.received).toEqual([]);
    await connection.say(call("a"));
    expect(connection.received).toHaveLength(1);
  });

  it("does not hold for initialize, nor on a connection that keeps messages in order", async () => {
    await using session = await connectRawPeer({}, { hasSession: true });
    await session.say(cancelled, call("initialize"));
    expect(session.received).toHaveLength(1);
    await using pipe = await connectRawPeer();
    await pipe.say(cancelled, call("a"));
    expect(pipe.received).toHaveLength(1);
  });
});

describe("a message that another process of the session has forwarded", () => {
  it("is progress, a cancellation or an answer, or is ignored", async () => {
    await using connection = await connectRawPeer();
    const { dispatcher, received } = connection;
    const onProgress = vi.fn();
    const call = dispatcher.request("work", {}, { onProgress });
    await connection.say();
    const params = { progressToken: 1, progress: 5 };

    expect(dispatcher.receiveForwarded({ jsonrpc: "2.0", method: "notifications/other", params })).toBe("unknown");
    expect(onProgress).not.toHaveBeenCalled();
    expect(dispatcher.receiveForwarded({ jsonrpc: "2.0", method: "notifications/progress", params })).toBe("unknown");
    expect(onProgress).toHaveBeenCalledTimes(1);
    expect(dispatcher.receiveForwarded({ jsonrpc: "2.0", id: 1, method: "work" })).toBe("unknown");
    expect(dispatcher.receiveForwarded({ jsonrpc: "2.0", id: 1, result: { n: 1 } })).toBe("received");

    expect(await call).toEqual({ n: 1 });
    expect(received).toHaveLength(1);
  });
});
