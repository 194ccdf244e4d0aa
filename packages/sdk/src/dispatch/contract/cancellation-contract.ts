/** Contract: abort signals in, cancellation out and in. */
import { expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest } from "../dispatcher.js";
import { type Connect, type Connection, defer, everythingDelivered } from "./connection.fixture.js";

function cancellations({ wire }: Connection): unknown[] {
  return wire.flatMap(({ message }) =>
    "method" in message && /cancelled/.test(message.method) ? [message.params] : [],
  );
}

export function cancellationContract(connect: Connect): void {
  it("rejects an aborted request with the signal's reason and tells the peer, with the id verbatim", async () => {
    const inbound = defer<InboundRequest>();
    await using connection = await connect({
      right: {
        request: (served) => {
          inbound.resolve(served);
          return new Promise(() => undefined);
        },
      },
    });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { id: "7", signal: stop.signal });
    const { signal } = await inbound.promise;
    expect(signal.aborted).toBe(false);
    stop.abort("changed my mind");
    await expect(call).rejects.toMatchObject({ code: "request-aborted", cause: "changed my mind" });
    await everythingDelivered();
    expect(cancellations(connection)).toEqual([{ requestId: "7", reason: "changed my mind" }]);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: "request-aborted", message: /work: changed my mind/ });
  });

  it("does not tell the peer more of an abort than a reason given as text", async () => {
    await using connection = await connect({ right: { request: () => new Promise(() => undefined) } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    const reason = new Error("token abc has expired");
    stop.abort(reason);
    await expect(call).rejects.toMatchObject({ code: "request-aborted", cause: reason });
    expect(cancellations(connection)).toEqual([{ requestId: 1, reason: "The caller aborted the request" }]);
  });

  it("sends nothing at all when the signal is aborted already", async () => {
    await using connection = await connect();
    const call = connection.left.request("work", {}, { signal: AbortSignal.abort("too late") });
    await expect(call).rejects.toMatchObject({ code: "request-aborted", cause: "too late" });
    expect(connection.wire).toEqual([]);
  });

  it.each(["initialize", "server/discover"])(
    "never cancels %s on the wire, though the call rejects",
    async (method) => {
      const gate = defer<JsonObject>();
      await using connection = await connect({ right: { request: () => gate.promise } });
      const stop = new AbortController();
      const call = connection.left.request(method, {}, { signal: stop.signal });
      stop.abort();
      await expect(call).rejects.toMatchObject({ code: "request-aborted" });
      gate.resolve({});
      await everythingDelivered();
      expect(cancellations(connection)).toEqual([]);
      expect(connection.errors.left).toMatchObject([{ code: "unexpected-answer", message: /request 1/ }]);
    },
  );

  it.each(["initialize", "server/discover"])("goes on serving %s when the peer cancels it", async (method) => {
    const gate = defer<JsonObject>();
    const request = vi.fn((_inbound: InboundRequest) => gate.promise);
    await using connection = await connect({ right: { request } });
    const call = connection.left.request(method, {}, { id: 1 });
    await connection.left.notify("notifications/cancelled", { requestId: 1 });
    await everythingDelivered();
    expect(request.mock.calls[0]?.[0].signal.aborted).toBe(false);
    gate.resolve({ served: true });
    expect(await call).toEqual({ served: true });
  });

  it.each([
    ["returns", undefined],
    ["throws the reason", "reason"],
    ["throws an AbortError", new DOMException("stopped", "AbortError")],
  ])("never answers what was cancelled, when its handler %s later", async (_how, thrown) => {
    const gate = defer<JsonObject>();
    const request = async ({ signal }: InboundRequest) => {
      await gate.promise;
      if (thrown !== undefined) throw thrown === "reason" ? signal.reason : thrown;
      return { late: true };
    };
    await using connection = await connect({ right: { request } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    await everythingDelivered();
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await everythingDelivered();
    gate.resolve({});
    await everythingDelivered();
    expect(connection.wire.filter(({ from }) => from === "right")).toEqual([]);
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("reports a handler that fails on its own after it was cancelled", async () => {
    const gate = defer<JsonObject>();
    await using connection = await connect({ right: { request: () => gate.promise } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    await everythingDelivered();
    stop.abort();
    await expect(call).rejects.toThrow();
    await everythingDelivered();
    gate.reject(new RangeError("cleanup failed"));
    await everythingDelivered();
    expect(connection.errors.right).toMatchObject([{ code: "handler-failed", cause: { message: "cleanup failed" } }]);
    expect(connection.wire.filter(({ from }) => from === "right")).toEqual([]);
  });

  it.each([
    undefined,
    {},
    { requestId: null },
    { requestId: 1.5 },
    { requestId: "never sent" },
    { requestId: 1, reason: { not: "text" } },
  ])("ignores a cancellation that names nothing in flight: %j", async (params) => {
    const notification = vi.fn();
    await using connection = await connect({ right: { notification } });
    await connection.left.request("finished", {}, { id: 1 });
    await connection.left.notify("notifications/cancelled", params);
    expect(await connection.left.request("next")).toEqual({});
    expect(notification).not.toHaveBeenCalled();
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("takes a cancellation of a listen request for its end, from the side that serves it", async () => {
    await using connection = await connect({ right: { request: () => new Promise(() => undefined) } });
    const listen = connection.left.request("subscriptions/listen", {}, { id: "s1" });
    await connection.right.notify("notifications/cancelled", { requestId: "s1" });
    expect(await listen).toEqual({ _meta: { "io.modelcontextprotocol/subscriptionId": "s1" } });
    await everythingDelivered();
    expect(cancellations(connection)).toEqual([{ requestId: "s1" }]);
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("goes on waiting when the side that serves a request of another kind cancels it", async () => {
    const gate = defer<JsonObject>();
    await using connection = await connect({ right: { request: () => gate.promise } });
    const call = connection.left.request("work", {}, { id: 1 });
    for (const requestId of [1, "1", null, "s1"]) {
      await connection.right.notify("notifications/cancelled", { requestId });
    }
    await everythingDelivered();
    gate.resolve({ served: true });
    expect(await call).toEqual({ served: true });
    expect(connection.errors).toEqual({ left: [], right: [] });
  });

  it("cancels what it serves, not a listen request of its own under the same id", async () => {
    const inbound = defer<InboundRequest>();
    await using connection = await connect({
      left: { request: () => new Promise(() => undefined) },
      right: {
        request: (served) => {
          inbound.resolve(served);
          return new Promise(() => undefined);
        },
      },
    });
    const settled = vi.fn();
    void connection.right
      .request("subscriptions/listen", {}, { id: 1 })
      .catch(() => undefined)
      .finally(settled);
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { id: 1, signal: stop.signal });
    const { signal } = await inbound.promise;
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await everythingDelivered();
    expect(signal.aborted).toBe(true);
    expect(settled).not.toHaveBeenCalled();
  });

  it("leaves a successor alone that reuses the id of a cancelled request", async () => {
    const gates = new Map<string, ReturnType<typeof defer<JsonObject>>>();
    const request = ({ method }: InboundRequest) => {
      const gate = defer<JsonObject>();
      gates.set(method, gate);
      return gate.promise;
    };
    await using connection = await connect({ right: { request } });
    const stop = new AbortController();
    const first = connection.left.request("first", {}, { id: 7, signal: stop.signal });
    await everythingDelivered();
    stop.abort();
    await expect(first).rejects.toThrow();
    const second = connection.left.request("second", {}, { id: 7 });
    await everythingDelivered();
    gates.get("first")?.resolve({ by: "first" });
    await everythingDelivered();
    await expect(connection.left.request("third", {}, { id: "7" })).rejects.toMatchObject({
      code: "request-id-in-use",
    });
    gates.get("second")?.resolve({ by: "second" });
    expect(await second).toEqual({ by: "second" });
  });

  it("still aborts a request when another with the same signal was answered before", async () => {
    const request = ({ method }: InboundRequest) =>
      method === "quick" ? {} : new Promise<JsonObject>(() => undefined);
    await using connection = await connect({ right: { request } });
    const stop = new AbortController();
    const slow = connection.left.request("slow", {}, { signal: stop.signal });
    await connection.left.request("quick", {}, { signal: stop.signal });
    stop.abort();
    await expect(slow).rejects.toMatchObject({ code: "request-aborted" });
  });

  it("aborts every request that shares a signal", async () => {
    await using connection = await connect({ right: { request: () => new Promise(() => undefined) } });
    const stop = new AbortController();
    const calls = [1, 2, 3].map(() => connection.left.request("work", {}, { signal: stop.signal }));
    stop.abort();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    expect(cancellations(connection)).toHaveLength(3);
  });
}
