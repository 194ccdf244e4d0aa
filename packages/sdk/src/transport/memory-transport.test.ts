import { describe, expect, it, vi } from "vitest";
import { createMemoryTransports } from "./memory-transport.js";
import { recordTransport } from "./recording-transport.js";
import type { TransportReceiver } from "./transport.js";

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

function receiver() {
  return {
    receive: vi.fn<TransportReceiver["receive"]>(),
    receiveUnparsable: vi.fn<TransportReceiver["receiveUnparsable"]>(),
    closed: vi.fn<TransportReceiver["closed"]>(),
  };
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

describe("createMemoryTransports", () => {
  it("delivers what a socket would: a copy, without what JSON has no form for", async () => {
    const [left, right] = createMemoryTransports();
    const inbox = receiver();
    right.start(inbox);
    const message = { ...ping, params: { when: new Date(0), nothing: undefined, list: [1] } };
    expect(left.send(message)).toBeUndefined();
    expect(inbox.receive).not.toHaveBeenCalled();
    await nextTask();
    expect(inbox.receive.mock.calls).toStrictEqual([
      [{ ...ping, params: { when: "1970-01-01T00:00:00.000Z", list: [1] } }],
    ]);
  });

  it("carries batches and both directions, in order", async () => {
    const [left, right] = createMemoryTransports();
    const inboxes = [receiver(), receiver()] as const;
    left.start(inboxes[0]);
    right.start(inboxes[1]);
    for (const id of [1, 2, 3]) await left.send({ ...ping, id });
    await right.send([ping, { ...ping, id: 2 }]);
    await nextTask();
    expect(inboxes[1].receive.mock.calls.map(([message]) => message)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(inboxes[0].receive.mock.calls).toEqual([[[ping, { ...ping, id: 2 }]]]);
  });

  it("tells its receiver of text that is no message, and goes on", async () => {
    const [left, right] = createMemoryTransports();
    const inbox = receiver();
    right.start(inbox);
    await left.sendText("{");
    await left.send(ping);
    await nextTask();
    expect(inbox.receiveUnparsable.mock.calls).toMatchObject([[{ code: -32700 }]]);
    expect(inbox.receive).toHaveBeenCalledWith(ping);
  });

  it("rejects a message that cannot be serialized, and goes on", async () => {
    const [left, right] = createMemoryTransports();
    const inbox = receiver();
    right.start(inbox);
    await expect(left.send({ ...ping, params: { big: 1n } })).rejects.toMatchObject({ code: "invalid-argument" });
    await left.send(ping);
    await nextTask();
    expect(inbox.receive.mock.calls).toEqual([[ping]]);
  });

  it("closes both ends, and rejects what is sent afterwards", async () => {
    const [left, right] = createMemoryTransports();
    const inboxes = [receiver(), receiver()] as const;
    left.start(inboxes[0]);
    right.start(inboxes[1]);
    left.close();
    await nextTask();
    left.close();
    right.close();
    for (const { closed } of inboxes) expect(closed.mock.calls).toEqual([[]]);
    for (const end of [left, right]) {
      await expect(end.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
      await expect(end.sendText("{}")).rejects.toMatchObject({ code: "connection-closed" });
    }
  });
});

describe("recordTransport", () => {
  it("shows what is sent and received, in order, and passes everything on", async () => {
    const [left, right] = createMemoryTransports();
    const seen: unknown[] = [];
    const recorded = recordTransport(left, (direction, message) => seen.push([direction, message]));
    const inboxes = [receiver(), receiver()] as const;
    await recorded.start(inboxes[0]);
    right.start(inboxes[1]);
    await recorded.send(ping, { relatedTo: 7 });
    await right.send([ping]);
    await right.sendText("no JSON");
    await nextTask();
    expect(seen).toEqual([
      ["sent", ping],
      ["received", [ping]],
    ]);
    expect(inboxes[1].receive).toHaveBeenCalledWith(ping);
    expect(inboxes[0].receive).toHaveBeenCalledWith([ping], undefined);
    expect(inboxes[0].receiveUnparsable).toHaveBeenCalledTimes(1);
    await recorded.close();
    expect(inboxes[0].closed).toHaveBeenCalledTimes(1);
    await expect(recorded.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("hands send options and the reason of a loss on", async () => {
    const send = vi.fn();
    const lost = new Error("gone");
    const connectionHeaders = () => ({ authorization: "a" });
    const recorded = recordTransport(
      { carriesHeaders: true, connectionHeaders, start: (inbox) => inbox.closed(lost), send, close: () => undefined },
      () => undefined,
    );
    const inbox = receiver();
    await recorded.start(inbox);
    await recorded.send(ping, { relatedTo: "7" });
    expect(inbox.closed).toHaveBeenCalledWith(lost);
    expect(send).toHaveBeenCalledWith(ping, { relatedTo: "7" });
    expect(recorded.connectionHeaders?.()).toEqual({ authorization: "a" });
  });

  it("tells who waits for a login", async () => {
    const until = Promise.resolve();
    const recorded = recordTransport(
      { start: (inbox) => inbox.held?.(7, until), send: () => undefined, close: () => undefined },
      () => undefined,
    );
    const held = vi.fn();
    await recorded.start({ ...receiver(), held });
    await recorded.start(receiver());
    expect(held).toHaveBeenCalledExactlyOnceWith(7, until);
  });
});
