import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { defer, everythingDelivered } from "./contract/connection.fixture.js";
import { connectRawPeer } from "./contract/raw-peer.fixture.js";
import type { InboundRequest } from "./dispatcher.js";

const call = (id: string | number, method = "work") => ({ jsonrpc: "2.0", id, method });
const result = (id: string | number, value: JsonObject = { method: "work" }) => ({ jsonrpc: "2.0", id, result: value });

describe("batches over JSON-RPC", () => {
  it("answers a batch with one array, once every request in it has settled", async () => {
    const gate = defer<JsonObject>();
    const notification = vi.fn();
    const request = ({ method }: InboundRequest) => (method === "slow" ? gate.promise : { method });
    await using connection = await connectRawPeer({ acceptsBatches: true, notification, request });
    await connection.say([call(1), { jsonrpc: "2.0", method: "notifications/a" }, call("2", "slow"), 42]);
    expect(connection.received).toEqual([]);
    expect(notification).toHaveBeenCalledTimes(1);
    gate.resolve({ slow: true });
    await everythingDelivered();
    expect(connection.received).toEqual([
      [
        result(1),
        { jsonrpc: "2.0", error: { code: -32600, message: expect.stringContaining("must be an object") } },
        result("2", { slow: true }),
      ],
    ]);
  });

  it("does not answer a batch of notifications and answers, and takes the answers", async () => {
    await using connection = await connectRawPeer({ acceptsBatches: true });
    const asked = connection.dispatcher.request("ask");
    await connection.say([
      { jsonrpc: "2.0", method: "notifications/a" },
      { jsonrpc: "2.0", id: 1, result: { ok: 1 } },
    ]);
    expect(await asked).toEqual({ ok: 1 });
    expect(connection.received).toHaveLength(1);
  });

  it("leaves a gap for a cancelled request, and sends nothing if no answer is left", async () => {
    const gate = defer<JsonObject>();
    const request = ({ method }: InboundRequest) => (method === "slow" ? gate.promise : { method });
    await using connection = await connectRawPeer({ acceptsBatches: true, request });
    const cancel = (requestId: number) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    });
    await connection.say([call(1), call(2, "slow")], cancel(2));
    expect(connection.received).toEqual([[result(1)]]);
    await connection.say([call(3, "slow")], cancel(3));
    gate.resolve({});
    await everythingDelivered();
    expect(connection.received).toHaveLength(1);
  });

  it("ends with the conversation, also if a request in it would outlive that by itself", async () => {
    const aborted = vi.fn();
    const request = ({ method, signal }: InboundRequest) => {
      if (method === "initialize") return {};
      signal.addEventListener("abort", aborted);
      return new Promise<JsonObject>(() => undefined);
    };
    const conversation = { startOver: () => true, isStateless: () => true };
    await using connection = await connectRawPeer({ acceptsBatches: true, request, ...conversation });
    await connection.say([call(1, "slow")], call(2, "slow"), call(3, "initialize"));
    expect(aborted).toHaveBeenCalledOnce();
    expect(connection.received).toEqual([result(3, {})]);
  });

  it("refuses initialize, a nested batch and a duplicate id inside a batch, and serves the rest", async () => {
    const gate = defer<JsonObject>();
    await using connection = await connectRawPeer({
      acceptsBatches: true,
      request: ({ method }) => (method === "slow" ? gate.promise : { method }),
    });
    await connection.say([call(1, "initialize"), [call(2)], call(3, "slow"), call(3), call(4)]);
    gate.resolve({ slow: true });
    await everythingDelivered();
    const refused = { code: -32600 };
    expect(connection.received).toMatchObject([
      [{ id: 1, error: refused }, { error: refused }, { id: 3, error: refused }, result(4), result(3, { slow: true })],
    ]);
  });

  it("refuses a whole batch with one -32600 without id where batches do not exist, or where it is too long", async () => {
    const request = vi.fn(() => ({}));
    await using without = await connectRawPeer({ request });
    await without.say([call(1)]);
    await using short = await connectRawPeer({ acceptsBatches: true, request }, { maxBatchItems: 2 });
    await short.say([call(1), call(2), call(3)]);
    await using usual = await connectRawPeer({ acceptsBatches: true, request });
    await usual.say(Array.from({ length: 1_001 }, (_, index) => call(index)));
    for (const { received } of [without, short, usual]) {
      expect(received).toEqual([{ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } }]);
    }
    expect(request).not.toHaveBeenCalled();
  });

  it("answers nothing in a batch where requests are out of place", async () => {
    await using connection = await connectRawPeer({ acceptsBatches: true, refusesRequests: true });
    await connection.say([call(1), 42, call(2)]);
    expect(connection.received).toEqual([]);
    expect(connection.errors).toHaveLength(3);
  });

  it("sends its own batch as one array, leaving out what could not be opened", async () => {
    await using connection = await connectRawPeer({ acceptsBatches: true });
    const settled = connection.dispatcher.requestBatch([
      { method: "a", params: { n: 1 }, options: { id: "a" } },
      { method: "b", options: { id: "a" } },
      { method: "c" },
    ]);
    await everythingDelivered();
    expect(connection.received).toEqual([
      [
        { jsonrpc: "2.0", id: "a", method: "a", params: { n: 1 } },
        { jsonrpc: "2.0", id: 1, method: "c" },
      ],
    ]);
    await connection.say([result(1, { c: 1 }), result("a", { a: 1 })]);
    expect(await settled).toMatchObject([
      { value: { a: 1 } },
      { reason: { code: "request-id-in-use" } },
      { value: { c: 1 } },
    ]);
    await connection.dispatcher.requestBatch([{ method: "d", options: { signal: AbortSignal.abort() } }]);
    await everythingDelivered();
    expect(connection.received).toHaveLength(1);
  });

  it("answers -32603 for the one result in a batch that cannot be serialized, and reports it", async () => {
    await using connection = await connectRawPeer({
      acceptsBatches: true,
      request: ({ method }) => (method === "big" ? { big: 1n } : { method }),
    });
    await connection.say([call(1), call(2, "big")]);
    expect(connection.received).toEqual([
      [result(1), { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "Internal error" } }],
    ]);
    expect(connection.errors).toMatchObject([{ code: "handler-failed", cause: { code: "invalid-argument" } }]);
  });
});
