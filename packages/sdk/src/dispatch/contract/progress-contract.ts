/** Contract: progress reaches the request it belongs to, and nothing after that request. */
import { expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest, ProgressReport } from "../dispatcher.js";
import { type Connect, defer, everythingDelivered } from "./connection.fixture.js";

function tokenOf({ params }: InboundRequest): unknown {
  return (params?._meta as JsonObject | undefined)?.progressToken;
}

/** A handler that reports the given steps and then answers. */
function reporting(...steps: JsonObject[]) {
  return async (inbound: InboundRequest) => {
    for (const step of steps)
      await inbound.notify("notifications/progress", { progressToken: tokenOf(inbound), ...step });
    return {};
  };
}

export function progressContract(connect: Connect): void {
  it("hands progress to the caller in order, with total and message", async () => {
    const request = reporting({ progress: 1 }, { progress: 2, total: 3 }, { progress: 3, total: 3, message: "done" });
    await using connection = await connect({ right: { request } });
    const seen: ProgressReport[] = [];
    await connection.left.request("work", {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([{ progress: 1 }, { progress: 2, total: 3 }, { progress: 3, total: 3, message: "done" }]);
  });

  it("asks for progress with the request's id as token, and keeps the caller's params as they were", async () => {
    const inbounds: InboundRequest[] = [];
    const request = (inbound: InboundRequest) => {
      inbounds.push(inbound);
      return {};
    };
    await using connection = await connect({ right: { request } });
    const params = Object.freeze({ name: "a", _meta: Object.freeze({ "example.com/key": 1, progressToken: "mine" }) });
    const onProgress = () => undefined;
    await connection.left.request("work", params, { id: "p", onProgress });
    await connection.left.request("work", undefined, { id: 9, onProgress });
    await connection.left.request("work", params);
    await connection.left.request("work", { name: "a" });
    expect(inbounds.map((inbound) => inbound.params)).toEqual([
      { name: "a", _meta: { "example.com/key": 1, progressToken: "p" } },
      { _meta: { progressToken: 9 } },
      params,
      { name: "a" },
    ]);
  });

  it("tells concurrent requests' progress apart", async () => {
    await using connection = await connect({
      right: { request: (inbound) => reporting({ progress: Number(inbound.params?.n) })(inbound) },
    });
    const seen: string[] = [];
    const call = (name: string, n: number) =>
      connection.left.request("work", { n }, { onProgress: ({ progress }) => seen.push(`${name}${progress}`) });
    await Promise.all([call("a", 1), call("b", 2), call("c", 3)]);
    expect(seen.sort()).toEqual(["a1", "b2", "c3"]);
  });

  it.each([
    ["an unknown token", { progressToken: "unknown", progress: 1 }],
    ["no usable token", { progressToken: { a: 1 }, progress: 1 }],
    ["the id of a request that asked for none", { progressToken: 7, progress: 1 }],
    ["no params", undefined],
  ])("treats progress with %s like any other notification", async (_what, params) => {
    const notification = vi.fn();
    const gate = defer<JsonObject>();
    await using connection = await connect({ left: { notification }, right: { request: () => gate.promise } });
    const call = connection.left.request("work", {}, { id: 7 });
    await connection.right.notify("notifications/progress", params);
    await everythingDelivered();
    expect(notification.mock.calls).toEqual([["notifications/progress", params]]);
    gate.resolve({});
    await call;
  });

  it("does not hand late progress to the callback of a request that has settled", async () => {
    const notification = vi.fn();
    const onProgress = vi.fn();
    await using connection = await connect({ left: { notification } });
    await connection.left.request("work", {}, { id: 7, onProgress });
    await connection.right.notify("notifications/progress", { progressToken: 7, progress: 1 });
    await everythingDelivered();
    expect(onProgress).not.toHaveBeenCalled();
    expect(notification).toHaveBeenCalledTimes(1);
  });

  it.each([
    () => {
      throw new Error("broken");
    },
    () => Promise.reject(new Error("broken")),
  ])("reports an onProgress that fails, and the request goes on", async (onProgress) => {
    const seen = vi.fn(onProgress);
    await using connection = await connect({ right: { request: reporting({ progress: 1 }, { progress: 2 }) } });
    expect(await connection.left.request("work", {}, { onProgress: seen })).toEqual({});
    expect(seen).toHaveBeenCalledTimes(2);
    expect(connection.errors.left).toMatchObject([
      { code: "handler-failed", message: /onProgress of work/, cause: { message: "broken" } },
      { code: "handler-failed" },
    ]);
  });

  it("drops and reports progress without a number, and leaves out what has the wrong type", async () => {
    const request = reporting({ progress: "half" }, { progress: 1, total: "two", message: 3 });
    await using connection = await connect({ right: { request } });
    const seen: ProgressReport[] = [];
    await connection.left.request("work", {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([{ progress: 1 }]);
    expect(connection.errors.left).toMatchObject([{ code: "invalid-message", message: /params.progress/ }]);
  });
}
