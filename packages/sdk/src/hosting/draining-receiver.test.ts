import { describe, expect, it, vi } from "vitest";
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import type { JsonObject } from "../protocol/json.js";
import { DrainingReceiver } from "./draining-receiver.js";

function inboundRequest(method: string, own: Partial<InboundRequest> = {}): InboundRequest {
  return {
    id: 1,
    method,
    params: { a: 1 },
    signal: new AbortController().signal,
    caller: { principal: "me" },
    isSettled: false,
    request: vi.fn(async () => ({ answered: true })),
    notify: vi.fn(async () => undefined),
    ...own,
  };
}

function setUp(request: Receiver["request"], own: Partial<Receiver> = {}) {
  const onClosed = vi.fn();
  const receiver = new DrainingReceiver({ request, notification: () => undefined, ...own }, onClosed);
  return { receiver, onClosed };
}

describe("DrainingReceiver", () => {
  it("passes everything on while nothing is being drained", async () => {
    const notification = vi.fn();
    const closed = vi.fn();
    const seen: InboundRequest[] = [];
    const { receiver, onClosed } = setUp(
      (inbound) => {
        seen.push(inbound);
        return { done: true };
      },
      { notification, closed, acceptsBatches: true, startOver: () => true, standsAlone: () => true },
    );
    const inbound = inboundRequest("tools/call");
    expect(await receiver.request(inbound)).toEqual({ done: true });
    expect(seen).toEqual([inbound]);
    await receiver.notification("notifications/x", { a: 1 });
    expect(notification).toHaveBeenCalledWith("notifications/x", { a: 1 });
    expect([receiver.acceptsBatches, receiver.startOver({}), receiver.standsAlone({})]).toEqual([true, true, true]);
    receiver.closed();
    expect([closed.mock.calls.length, onClosed.mock.calls.length]).toEqual([1, 1]);
  });

  it("waits for what is being served, whether it succeeds or fails, and refuses the rest", async () => {
    const settle: (() => void)[] = [];
    const { receiver } = setUp(
      (inbound) =>
        new Promise<JsonObject>((resolve, reject) => {
          settle.push(() => (inbound.method === "good" ? resolve({}) : reject(new Error("bad"))));
        }),
    );
    const good = receiver.request(inboundRequest("good"));
    const bad = expect(receiver.request(inboundRequest("bad"))).rejects.toThrow("bad");
    const drained = vi.fn();
    const draining = receiver.drain().then(drained);
    expect(() => receiver.request(inboundRequest("late"))).toThrow("shutting down");
    settle[0]?.();
    await good;
    await new Promise((resolve) => setImmediate(resolve));
    expect(drained).not.toHaveBeenCalled();
    settle[1]?.();
    await bad;
    await draining;
    expect(receiver.acceptsBatches).toBe(false);
  });

  it("is drained at once when nothing is being served, and when the connection is gone", async () => {
    await setUp(() => ({})).receiver.drain();
    const { receiver, onClosed } = setUp(() => new Promise(() => {}));
    void receiver.request(inboundRequest("hanging"));
    const drained = receiver.drain();
    receiver.closed();
    await drained;
    expect(onClosed).toHaveBeenCalledTimes(1);
  });

  it("ends subscriptions by their signal, without cutting them off", async () => {
    const inner = inboundRequest("subscriptions/listen");
    let listening = () => {};
    const isListening = new Promise<void>((resolve) => {
      listening = resolve;
    });
    const { receiver } = setUp(async (inbound) => {
      expect([inbound.id, inbound.method, inbound.params]).toEqual([1, "subscriptions/listen", { a: 1 }]);
      expect([inbound.caller, inbound.isSettled]).toEqual([{ principal: "me" }, false]);
      expect(await inbound.request("x", {}, { timeoutMs: 1 })).toEqual({ answered: true });
      await inbound.notify("y", {});
      listening();
      await new Promise((resolve) => inbound.signal.addEventListener("abort", resolve));
      return { ended: "well" };
    });
    const result = receiver.request(inner);
    await isListening;
    await receiver.drain();
    expect(await result).toEqual({ ended: "well" });
    expect(inner.request).toHaveBeenCalledWith("x", {}, { timeoutMs: 1 });
    expect(inner.notify).toHaveBeenCalledWith("y", {});
  });
});
