import { describe, expect, it, vi } from "vitest";
import type { Transport, TransportReceiver } from "../transport/transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { defer, everythingDelivered } from "./contract/connection.fixture.js";
import { connectRawPeer } from "./contract/raw-peer.fixture.js";
import type { Receiver, Sender } from "./dispatcher.js";
import { JsonRpcDispatcher } from "./json-rpc-dispatcher.js";

/** A transport whose sending fails as told; `deliver` plays its peer. */
function brokenTransport(send: (message: JsonRpcMessage | readonly JsonRpcMessage[]) => void | Promise<void>) {
  let receiver: TransportReceiver | undefined;
  const transport: Transport = {
    start: (given) => {
      receiver = given;
    },
    send,
    close: () => undefined,
  };
  return {
    transport,
    deliver: (message: unknown) => receiver?.receive(message),
    lose: (e?: Error) => receiver?.closed(e),
  };
}

const accept = (receiver: Partial<Receiver> = {}) => {
  return (_dispatcher: Sender): Receiver => ({ request: () => ({}), notification: () => undefined, ...receiver });
};

describe("transports that fail", () => {
  const broken = new Error("EPIPE");

  it.each([
    [
      "throws",
      () => {
        throw broken;
      },
    ],
    ["rejects", () => Promise.reject(broken)],
  ])("rejects a request and a notification with the cause when sending %s, and frees the id", async (_how, send) => {
    const { transport } = brokenTransport(send);
    const dispatcher = await JsonRpcDispatcher.start(transport, accept({ acceptsBatches: true }));
    const failed = { code: "connection-closed", cause: broken };
    await expect(dispatcher.request("work", {}, { id: 1 })).rejects.toMatchObject(failed);
    await expect(dispatcher.request("work", {}, { id: 1 })).rejects.toMatchObject(failed);
    await expect(dispatcher.notify("notifications/a")).rejects.toMatchObject(failed);
    expect(await dispatcher.requestBatch([{ method: "a" }, { method: "b" }])).toMatchObject([
      { reason: { ...failed, message: /^a / } },
      { reason: { ...failed, message: /^b / } },
    ]);
    await dispatcher.close();
  });

  it("waits for a transport that takes its time to send", async () => {
    const sent: unknown[] = [];
    const { transport } = brokenTransport(async (message) => void sent.push(message));
    const dispatcher = await JsonRpcDispatcher.start(transport, accept());
    await dispatcher.notify("notifications/a");
    expect(sent).toEqual([{ jsonrpc: "2.0", method: "notifications/a" }]);
    await dispatcher.close();
  });

  it("reports a cancellation and an answer that could not be sent", async () => {
    const errors: Error[] = [];
    const { transport, deliver } = brokenTransport((message) =>
      "params" in message && message.params?.fine ? undefined : Promise.reject(broken),
    );
    const dispatcher = await JsonRpcDispatcher.start(transport, accept(), { onError: (error) => errors.push(error) });
    const stop = new AbortController();
    const call = dispatcher.request("work", { fine: true }, { signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    deliver({ jsonrpc: "2.0", id: 1, method: "a" });
    await everythingDelivered();
    expect(errors).toMatchObject([
      { code: "connection-closed", message: /notifications\/cancelled/, cause: broken },
      { code: "handler-failed", message: /answer to a/, cause: broken },
      { code: "connection-closed", cause: broken },
    ]);
    await dispatcher.close();
  });

  it("says nothing of an answer that could not be sent because the connection is gone", async () => {
    const errors: Error[] = [];
    const { transport, deliver, lose } = brokenTransport(() => {
      lose();
      return Promise.reject(broken);
    });
    const dispatcher = await JsonRpcDispatcher.start(transport, accept({ acceptsBatches: true }), {
      onError: (error) => errors.push(error),
    });
    deliver([{ jsonrpc: "2.0", id: 1, method: "a" }]);
    await everythingDelivered();
    expect(dispatcher.isClosed).toBe(true);
    expect(errors).toEqual([]);
    const again = brokenTransport(() => {
      again.lose();
      return Promise.reject(broken);
    });
    await JsonRpcDispatcher.start(again.transport, accept(), { onError: (error) => errors.push(error) });
    again.deliver({ jsonrpc: "2.0", id: 1, method: "a" });
    await everythingDelivered();
    expect(errors).toEqual([]);
  });

  it("frees everything once, though sending fails after the request was given up", async () => {
    const sending = defer<void>();
    const { transport } = brokenTransport(() => sending.promise);
    const dispatcher = await JsonRpcDispatcher.start(transport, accept());
    const stop = new AbortController();
    const first = dispatcher.request("first", {}, { id: 7, signal: stop.signal });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: "request-aborted" });
    sending.reject(broken);
    const second = dispatcher.request("second", {}, { id: 7, timeoutMs: 1_000 });
    await expect(second).rejects.toMatchObject({ code: "connection-closed", message: /second/ });
    await dispatcher.close();
  });

  it("settles requests that share a signal once, though cancelling the first loses the connection", async () => {
    const sent: unknown[] = [];
    const { transport, lose } = brokenTransport((message) => {
      sent.push(message);
      if ("method" in message && message.method === "notifications/cancelled") lose();
    });
    const dispatcher = await JsonRpcDispatcher.start(transport, accept());
    const stop = new AbortController();
    const calls = [1, 2].map(() => dispatcher.request("work", {}, { signal: stop.signal }));
    const settled = Promise.allSettled(calls);
    stop.abort();
    expect(await settled).toMatchObject([
      { reason: { code: "request-aborted" } },
      { reason: { code: "connection-closed" } },
    ]);
    expect(sent).toHaveLength(3);
  });

  it("reports a batch's answers that cannot be sent at all", async () => {
    const errors: Error[] = [];
    const { transport, deliver } = brokenTransport(() => Promise.reject(broken));
    const dispatcher = await JsonRpcDispatcher.start(transport, accept({ acceptsBatches: true }), {
      onError: (error) => errors.push(error),
    });
    deliver([{ jsonrpc: "2.0", id: 1, method: "a" }]);
    await everythingDelivered();
    expect(errors).toMatchObject([
      { code: "handler-failed", cause: broken },
      { code: "connection-closed", cause: broken },
    ]);
    await dispatcher.close();
  });

  it("rejects what is pending and reports why when the connection is lost, then hears nothing more", async () => {
    const errors: Error[] = [];
    const closed = vi.fn();
    const request = vi.fn(() => ({}));
    const { transport, deliver, lose } = brokenTransport(() => undefined);
    const dispatcher = await JsonRpcDispatcher.start(transport, accept({ closed, request }), {
      onError: (error) => errors.push(error),
    });
    const call = expect(dispatcher.request("work")).rejects.toMatchObject({ code: "connection-closed", cause: broken });
    lose(broken);
    lose(broken);
    deliver({ jsonrpc: "2.0", id: 1, method: "a" });
    await call;
    await dispatcher.close();
    expect(closed).toHaveBeenCalledTimes(1);
    expect(request).not.toHaveBeenCalled();
    expect(errors).toMatchObject([{ code: "connection-closed", cause: broken }]);
  });

  it("rejects its start with what kept the transport from starting", async () => {
    const closed = vi.fn();
    const close = vi.fn();
    const transport: Transport = { start: () => Promise.reject(broken), send: () => undefined, close };
    await expect(JsonRpcDispatcher.start(transport, accept({ closed }))).rejects.toBe(broken);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("reports a transport that fails while closing", async () => {
    const errors: Error[] = [];
    const { transport } = brokenTransport(() => undefined);
    const failing: Transport = { ...transport, close: () => Promise.reject(broken) };
    const dispatcher = await JsonRpcDispatcher.start(failing, accept(), { onError: (error) => errors.push(error) });
    await dispatcher.close();
    expect(errors).toMatchObject([{ code: "connection-closed", cause: broken }]);
  });

  it("answers -32700 when a transport could not read its bytes, and nothing once closed", async () => {
    const sent: unknown[] = [];
    let receiver: TransportReceiver | undefined;
    const transport: Transport = {
      start: (given) => {
        receiver = given;
      },
      send: (message) => void sent.push(message),
      close: () => undefined,
    };
    const dispatcher = await JsonRpcDispatcher.start(transport, accept());
    receiver?.receiveUnparsable(new Error("invalid UTF-8 at /secret/path"));
    await dispatcher.close();
    receiver?.receiveUnparsable(new Error("again"));
    expect(sent).toEqual([{ jsonrpc: "2.0", error: { code: -32700, message: expect.not.stringContaining("secret") } }]);
  });

  it("answers -32603 for a result that cannot be serialized, and reports it", async () => {
    await using connection = await connectRawPeer({ request: () => ({ big: 1n }) });
    await connection.say({ jsonrpc: "2.0", id: 1, method: "work" });
    expect(connection.received).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } },
    ]);
    expect(connection.errors).toMatchObject([
      { code: "handler-failed", message: /answer to work/, cause: { code: "invalid-argument" } },
    ]);
  });

  it("rejects a request whose params cannot be serialized, naming that", async () => {
    await using connection = await connectRawPeer();
    await expect(connection.dispatcher.request("work", { big: 1n })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    expect(connection.received).toEqual([]);
  });

  it("relates what a handler sends to its request, and nothing else", async () => {
    const sent: unknown[] = [];
    const { transport, deliver } = brokenTransport(() => undefined);
    const watched: Transport = { ...transport, send: (message, options) => void sent.push([message, options]) };
    const dispatcher = await JsonRpcDispatcher.start(
      watched,
      accept({
        request: async (inbound) => {
          await inbound.notify("notifications/message");
          void inbound.request("roots/list").catch(() => undefined);
          return {};
        },
      }),
    );
    deliver({ jsonrpc: "2.0", id: "7", method: "work" });
    await everythingDelivered();
    expect(sent).toMatchObject([
      [{ method: "notifications/message" }, { relatedTo: "7" }],
      [{ method: "roots/list" }, { relatedTo: "7" }],
      [{ method: "notifications/cancelled" }, { relatedTo: "7" }],
      [{ id: "7", result: {} }, undefined],
    ]);
    await dispatcher.close();
  });
});
