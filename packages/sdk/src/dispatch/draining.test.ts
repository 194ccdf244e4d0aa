import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { defer, everythingDelivered } from "./contract/connection.fixture.js";
import { connectRawPeer } from "./contract/raw-peer.fixture.js";

const call = (id: number, method: string) => ({ jsonrpc: "2.0", id, method });

describe("draining", () => {
  it("waits for requests in progress, whether they succeed or fail, and refuses later ones", async () => {
    const [good, bad] = [defer<JsonObject>(), defer<JsonObject>()];
    await using connection = await connectRawPeer({
      request: ({ method }) => (method === "good" ? good.promise : bad.promise),
    });
    await connection.say(call(1, "good"), call(2, "bad"));
    const drained = vi.fn();
    void connection.dispatcher.drain().then(drained);
    await connection.say(call(3, "late"));
    const message = "The server is shutting down; try again later";
    const data = { limit: "server", retryAfterMs: 1_000 };
    expect(connection.received).toEqual([{ jsonrpc: "2.0", id: 3, error: { code: 429, message, data } }]);
    good.resolve({});
    await everythingDelivered();
    expect(drained).not.toHaveBeenCalled();
    bad.reject(new Error("bad"));
    await everythingDelivered();
    expect(drained).toHaveBeenCalledOnce();
    expect(connection.received).toHaveLength(3);
  });

  it("ends at once when nothing is being served, and when the connection closes", async () => {
    await using idle = await connectRawPeer({});
    await idle.dispatcher.drain();
    await using connection = await connectRawPeer({ request: () => new Promise(() => undefined) });
    await connection.say(call(1, "hanging"));
    const drained = connection.dispatcher.drain();
    await connection.dispatcher.close();
    await drained;
  });

  it("does not wait for a request that was cancelled", async () => {
    await using connection = await connectRawPeer({ request: () => new Promise(() => undefined) });
    await connection.say(call(1, "hanging"));
    const drained = connection.dispatcher.drain();
    await connection.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await drained;
  });

  it.each([true, false])("ends subscriptions with their result; signal read before: %s", async (isReadBefore) => {
    const gate = defer<void>();
    await using connection = await connectRawPeer({
      request: async (inbound) => {
        if (isReadBefore) expect(inbound.signal.aborted).toBe(false);
        await gate.promise;
        if (!inbound.signal.aborted) await new Promise((resolve) => inbound.signal.addEventListener("abort", resolve));
        await inbound.notify("notifications/last");
        return { ended: "well" };
      },
    });
    await connection.say(call(1, "subscriptions/listen"));
    const drained = connection.dispatcher.drain();
    gate.resolve();
    await drained;
    await everythingDelivered();
    expect(connection.received.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: { ended: "well" } });
  });
});
