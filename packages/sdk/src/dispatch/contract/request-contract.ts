/** Contract: requests, answers, ids, errors, notifications. */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { InboundRequest, RequestId } from "../dispatcher.js";
import { type Connect, defer, everythingDelivered } from "./connection.fixture.js";

export function requestContract(connect: Connect): void {
  it("carries method and params to the handler and its result back", async () => {
    const request = vi.fn((inbound: InboundRequest) => ({ echo: inbound.params }));
    await using connection = await connect({ right: { request } });
    expect(await connection.left.request("tools/call", { name: "deploy" })).toEqual({ echo: { name: "deploy" } });
    expect(request.mock.calls[0]?.[0].method).toBe("tools/call");
  });

  it("serves both directions at once, each with its own ids", async () => {
    await using connection = await connect({
      left: { request: () => ({ by: "left" }) },
      right: { request: async () => ({ by: "right" }) },
    });
    const answers = await Promise.all([connection.left.request("a"), connection.right.request("b")]);
    expect(answers).toEqual([{ by: "right" }, { by: "left" }]);
    expect(connection.wire.map(({ message }) => message)).toContainEqual({ jsonrpc: "2.0", id: 1, method: "a" });
    expect(connection.wire.map(({ message }) => message)).toContainEqual({ jsonrpc: "2.0", id: 1, method: "b" });
  });

  it("matches answers that come out of order to their requests", async () => {
    const gates = new Map<unknown, ReturnType<typeof defer<JsonObject>>>();
    await using connection = await connect({
      right: {
        request: ({ params }) => {
          const gate = defer<JsonObject>();
          gates.set(params?.n, gate);
          return gate.promise;
        },
      },
    });
    const calls = [0, 1, 2].map((n) => connection.left.request("work", { n }));
    await everythingDelivered();
    for (const n of [2, 0, 1]) gates.get(n)?.resolve({ n });
    expect(await Promise.all(calls)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it("numbers its requests from 1 and skips ids that callers hold", async () => {
    const gate = defer<JsonObject>();
    const seen: RequestId[] = [];
    await using connection = await connect({
      right: {
        request: ({ id, method }) => {
          seen.push(id);
          return method === "held" ? gate.promise : {};
        },
      },
    });
    const held = [connection.left.request("held", {}, { id: 1 }), connection.left.request("held", {}, { id: "2" })];
    await connection.left.request("free");
    await connection.left.request("free");
    expect(seen).toEqual([1, "2", 3, 4]);
    gate.resolve({});
    await Promise.all(held);
  });

  it("hands any acceptable id over and back verbatim", async () => {
    const seen: RequestId[] = [];
    await using connection = await connect({
      right: {
        request: ({ id }) => {
          seen.push(id);
          return { id };
        },
      },
    });
    const ids = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.constantFrom(0, -1, "", "7", "__proto__"));
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        expect(await connection.left.request("echo", {}, { id })).toEqual({ id });
        expect(seen.at(-1)).toBe(id);
      }),
    );
  });

  it('refuses an id with the same text as one that waits, "7" and 7 included, and leaves the first alone', async () => {
    const gate = defer<JsonObject>();
    await using connection = await connect({ right: { request: () => gate.promise } });
    const first = connection.left.request("first", {}, { id: "7" });
    const refused = { code: "request-id-in-use", message: expect.stringContaining("first") };
    await expect(connection.left.request("second", {}, { id: 7 })).rejects.toMatchObject(refused);
    await expect(connection.left.request("second", {}, { id: "7" })).rejects.toMatchObject(refused);
    const other = connection.left.request("other", {}, { id: "07" });
    gate.resolve({ done: true });
    expect(await Promise.all([first, other])).toEqual([{ done: true }, { done: true }]);
    expect(await connection.left.request("again", {}, { id: 7 })).toEqual({ done: true });
  });

  it.each([null, 1.5, Number.NaN, 2 ** 53, true, {}])("refuses %s as an id and sends nothing", async (id) => {
    await using connection = await connect();
    const call = connection.left.request("work", {}, { id: id as unknown as RequestId });
    await expect(call).rejects.toMatchObject({ code: "invalid-argument" });
    expect(connection.wire).toEqual([]);
  });

  it("answers a second request with an id that is being served -32600, and goes on serving the first", async () => {
    const gate = defer<JsonObject>();
    const request = vi.fn(() => gate.promise);
    await using connection = await connect({ right: { request } });
    // An initialize that this side gave up is still served there, since it is never cancelled on the wire.
    const gaveUp = new AbortController();
    const first = connection.left.request("initialize", {}, { id: 7, signal: gaveUp.signal });
    gaveUp.abort();
    await expect(first).rejects.toMatchObject({ code: "request-aborted" });
    await expect(connection.left.request("second", {}, { id: 7 })).rejects.toMatchObject({ code: -32600 });
    expect(request).toHaveBeenCalledTimes(1);
    gate.resolve({ served: true });
    await everythingDelivered();
    expect(connection.wire.at(-1)?.message).toEqual({ jsonrpc: "2.0", id: 7, result: { served: true } });
    expect(connection.errors.left).toEqual([expect.objectContaining({ code: "unexpected-answer" })]);
  });

  it("keeps code, message and data of a protocol error, and flattens its subclasses", async () => {
    class Special extends ProtocolError {
      readonly extra = "stays here";
    }
    const thrown = new Special(-32042, "Not so fast", { data: { wait: 3 }, cause: new Error("inner") });
    await using connection = await connect({ right: { request: () => Promise.reject(thrown) } });
    const error: unknown = await connection.left.request("work").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: -32042, message: "Not so fast", data: { wait: 3 } });
    expect(Object.getPrototypeOf(error)).toBe(ProtocolError.prototype);
    expect(error).not.toHaveProperty("extra");
    expect(error).not.toHaveProperty("cause");
    expect(connection.errors.right).toEqual([]);
  });

  it("answers anything else a handler throws with an opaque -32603, and reports it where it happened", async () => {
    const secret = new Error("password is 1234");
    const request = vi.fn(({ method }: InboundRequest): Promise<JsonObject> => {
      if (method === "sync") throw secret;
      return Promise.reject(secret);
    });
    await using connection = await connect({ right: { request } });
    for (const method of ["sync", "async"]) {
      const error: unknown = await connection.left.request(method).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: -32603, message: "Internal error", data: undefined });
    }
    expect(connection.errors.right).toMatchObject([
      { code: "handler-failed", cause: secret },
      { code: "handler-failed", cause: secret },
    ]);
    expect(connection.errors.left).toEqual([]);
  });

  it.each([undefined, null, [], "text", 7])("answers -32603 for a handler that returns %j", async (value) => {
    const request = async () => value as unknown as JsonObject;
    await using connection = await connect({ right: { request } });
    await expect(connection.left.request("work")).rejects.toMatchObject({ code: -32603 });
    const [report] = connection.errors.right;
    expect(report).toMatchObject({ code: "handler-failed", cause: { message: /must return an object/ } });
  });

  it.each([
    () => {
      throw new Error("onError failed");
    },
    () => Promise.reject(new Error("onError failed later")),
  ])("survives an onError that fails", async (onError) => {
    const request = () => Promise.reject(new Error("broken"));
    await using connection = await connect({ right: { request }, rightOptions: { onError } });
    await expect(connection.left.request("work")).rejects.toMatchObject({ code: -32603 });
    await expect(connection.left.request("work")).rejects.toMatchObject({ code: -32603 });
  });

  it("works without an onError", async () => {
    const request = () => Promise.reject(new Error("broken"));
    await using connection = await connect({ right: { request }, rightOptions: { onError: undefined as never } });
    await expect(connection.left.request("work")).rejects.toMatchObject({ code: -32603 });
  });

  it("drops and reports requests where they are out of place, answers nothing, and still takes notifications", async () => {
    const request = vi.fn(() => ({}));
    const notification = vi.fn();
    await using connection = await connect({ right: { refusesRequests: true, request, notification } });
    const stop = new AbortController();
    const call = connection.left.request("roots/list", {}, { signal: stop.signal });
    await connection.left.notify("notifications/a");
    await everythingDelivered();
    expect(request).not.toHaveBeenCalled();
    expect(notification).toHaveBeenCalledTimes(1);
    expect(connection.wire.filter(({ from }) => from === "right")).toEqual([]);
    expect(connection.errors.right).toMatchObject([{ code: "invalid-message", message: /roots\/list was dropped/ }]);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
  });

  it("delivers notifications in order, before what is sent after them", async () => {
    const seen: unknown[] = [];
    await using connection = await connect({
      right: {
        notification: (method, params) => void seen.push([method, params]),
        request: () => ({ seen: [...seen] }),
      },
    });
    await connection.left.notify("notifications/a", { n: 1 });
    void connection.left.notify("notifications/b");
    const { seen: before } = await connection.left.request("look");
    expect(before).toHaveLength(2);
    expect(seen).toEqual([
      ["notifications/a", { n: 1 }],
      ["notifications/b", undefined],
    ]);
  });

  it("reports what a notification handler throws, at once or later", async () => {
    const broken = new Error("broken");
    await using connection = await connect({
      right: {
        notification: (method) => {
          if (method === "notifications/sync") throw broken;
          return Promise.reject(broken);
        },
      },
    });
    await connection.left.notify("notifications/sync");
    await connection.left.notify("notifications/async");
    await everythingDelivered();
    expect(connection.errors.right).toMatchObject([
      { code: "handler-failed", message: /notifications\/sync/, cause: broken },
      { code: "handler-failed", message: /notifications\/async/, cause: broken },
    ]);
  });
}
