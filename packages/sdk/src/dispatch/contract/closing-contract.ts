/** Contract: closing settles everything on both sides, once. */
import { expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest } from "../dispatcher.js";
import { type Connect, everythingDelivered, type Side } from "./connection.fixture.js";

export function closingContract(connect: Connect): void {
  it.each<Side>(["left", "right"])("settles both sides when the %s one closes", async (closer) => {
    const inbounds: InboundRequest[] = [];
    const request = (inbound: InboundRequest) => {
      inbounds.push(inbound);
      expect(inbound.signal.aborted).toBe(false);
      return new Promise<JsonObject>(() => undefined);
    };
    const closed = { left: vi.fn(), right: vi.fn() };
    await using connection = await connect({
      left: { request, closed: closed.left },
      right: { request, closed: closed.right },
    });
    const pending = Promise.allSettled([connection.left.request("a"), connection.right.request("b")]);
    await everythingDelivered();
    await connection[closer].close();
    expect(await pending).toMatchObject([
      { reason: { code: "connection-closed", message: /before a was answered/ } },
      { reason: { code: "connection-closed", message: /before b was answered/ } },
    ]);
    expect(inbounds.map((inbound) => inbound.signal.reason)).toMatchObject([
      { code: "connection-closed" },
      { code: "connection-closed" },
    ]);
    expect(inbounds.every((inbound) => inbound.isSettled)).toBe(true);
    expect([connection.left.isClosed, connection.right.isClosed]).toEqual([true, true]);
    await Promise.all([connection.left.close(), connection.right.close(), connection[closer].close()]);
    expect(closed.left).toHaveBeenCalledTimes(1);
    expect(closed.right).toHaveBeenCalledTimes(1);
  });

  it("refuses everything after closing, on both sides", async () => {
    await using connection = await connect({ left: { acceptsBatches: true }, right: { acceptsBatches: true } });
    await connection.left.close();
    await everythingDelivered();
    const refused = { code: "connection-closed", message: expect.stringContaining("closed") };
    for (const side of [connection.left, connection.right]) {
      await expect(side.request("work")).rejects.toMatchObject(refused);
      await expect(side.notify("notifications/a")).rejects.toMatchObject(refused);
      await expect(side.requestBatch([{ method: "work" }])).rejects.toMatchObject(refused);
    }
    expect(connection.wire).toEqual([]);
  });

  it("rejects what is sent after the other side closed, before this side has heard of it", async () => {
    await using connection = await connect();
    void connection.right.close();
    expect(connection.left.isClosed).toBe(false);
    const refused = { code: "connection-closed" };
    await expect(connection.left.notify("notifications/a")).rejects.toMatchObject(refused);
    await expect(connection.left.request("work")).rejects.toMatchObject(refused);
  });

  it("delivers what was sent before closing", async () => {
    const notification = vi.fn();
    await using connection = await connect({ right: { notification } });
    void connection.left.notify("notifications/last");
    await connection.left.close();
    await everythingDelivered();
    expect(notification).toHaveBeenCalledWith("notifications/last", undefined);
  });

  it("drops what a handler returns after closing, and reports a receiver whose closed() fails", async () => {
    const broken = new Error("closed() broke");
    await using connection = await connect({
      right: {
        request: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({}))),
        closed: () => {
          throw broken;
        },
      },
    });
    const call = connection.left.request("work");
    await everythingDelivered();
    await Promise.all([expect(call).rejects.toMatchObject({ code: "connection-closed" }), connection.right.close()]);
    await everythingDelivered();
    expect(connection.errors.right).toMatchObject([{ code: "handler-failed", cause: broken }]);
    expect(connection.errors.left).toEqual([]);
  });

  it("can be closed from inside a handler", async () => {
    const connection = await connect({ right: { request: () => connection.right.close().then(() => ({})) } });
    await expect(connection.left.request("work")).rejects.toMatchObject({ code: "connection-closed" });
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("does not call a cancellation an error that was lost with its connection", async () => {
    await using connection = await connect({ right: { request: () => new Promise(() => undefined) } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    void connection.right.close();
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await everythingDelivered();
    expect(connection.errors.left).toEqual([]);
  });
}
