/** Contract: what an inbound request sends belongs to it and ends with it. */
import { expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest } from "../dispatcher.js";
import { type Connect, defer, everythingDelivered } from "./connection.fixture.js";

export function contextContract(connect: Connect): void {
  it("lets a handler ask and notify its peer while it serves", async () => {
    const notification = vi.fn();
    await using connection = await connect({
      left: { request: () => ({ answer: 42 }), notification },
      right: {
        request: async (inbound) => {
          await inbound.notify("notifications/message", { data: "asking" });
          return { got: await inbound.request("roots/list", { a: 1 }), settled: inbound.isSettled };
        },
      },
    });
    expect(await connection.left.request("work")).toEqual({ got: { answer: 42 }, settled: false });
    expect(notification).toHaveBeenCalledWith("notifications/message", { data: "asking" });
  });

  it("refuses both after the answer, sends nothing, and does not abort the signal", async () => {
    const inbounds: InboundRequest[] = [];
    const request = (inbound: InboundRequest) => {
      inbounds.push(inbound);
      return {};
    };
    await using connection = await connect({ right: { request } });
    await connection.left.request("work");
    const before = connection.wire.length;
    const [inbound] = inbounds;
    await expect(inbound?.notify("notifications/message")).rejects.toMatchObject({ code: "context-ended" });
    await expect(inbound?.request("roots/list")).rejects.toMatchObject({
      code: "context-ended",
      message: "roots/list cannot be sent: work, which it belongs to, has ended",
    });
    await everythingDelivered();
    expect(connection.wire).toHaveLength(before);
    expect(inbound?.isSettled).toBe(true);
    expect(inbound?.signal.aborted).toBe(false);
  });

  it("refuses both after a cancellation, whose reason shows on a signal first looked at later", async () => {
    const inbounds: InboundRequest[] = [];
    const request = (inbound: InboundRequest) => {
      inbounds.push(inbound);
      return new Promise<JsonObject>(() => undefined);
    };
    await using connection = await connect({ right: { request } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    await everythingDelivered();
    stop.abort("enough");
    await expect(call).rejects.toThrow();
    await everythingDelivered();
    const [inbound] = inbounds;
    expect(inbound?.isSettled).toBe(true);
    expect(inbound?.signal.reason).toMatchObject({ code: "request-aborted", message: /enough/ });
    await expect(inbound?.request("roots/list")).rejects.toMatchObject({ code: "context-ended" });
    await expect(inbound?.notify("notifications/message")).rejects.toMatchObject({ code: "context-ended" });
    expect(connection.wire.filter(({ from }) => from === "right")).toEqual([]);
  });

  it("aborts what a handler asked its peer when the peer cancels the handler's request", async () => {
    const asked = defer<InboundRequest>();
    const nested = defer<unknown>();
    await using connection = await connect({
      left: {
        request: (inbound) => {
          asked.resolve(inbound);
          return new Promise(() => undefined);
        },
      },
      right: {
        request: async (inbound) => {
          nested.resolve(await inbound.request("roots/list").catch((error: unknown) => error));
          return {};
        },
      },
    });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    const { signal } = await asked.promise;
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await nested.promise).toMatchObject({ code: "request-aborted", cause: { code: "request-aborted" } });
    await everythingDelivered();
    expect(signal.aborted).toBe(true);
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("gives up what a handler asked and did not wait for, before the answer goes out", async () => {
    const nested = defer<unknown>();
    await using connection = await connect({
      left: { request: () => new Promise(() => undefined) },
      right: {
        request: (inbound) => {
          nested.resolve(inbound.request("roots/list").catch((error: unknown) => error));
          return {};
        },
      },
    });
    await connection.left.request("work");
    expect(await nested.promise).toMatchObject({ code: "context-ended" });
    const sent = connection.wire.filter(({ from }) => from === "right").map(({ message }) => message);
    expect(sent).toMatchObject([
      { method: "roots/list" },
      { method: "notifications/cancelled", params: { requestId: 1 } },
      { id: 1, result: {} },
    ]);
  });
}
