/** What a dispatcher tells its transport besides the messages, and what it hears from it. */
import { expect, it, vi } from "vitest";
import type { Transport, TransportReceiver } from "../transport/transport.js";
import type { InboundRequest } from "./dispatcher.js";
import { JsonRpcDispatcher } from "./json-rpc-dispatcher.js";

async function play(request: (inbound: InboundRequest) => Promise<object>) {
  let receiver: TransportReceiver | undefined;
  const send = vi.fn<Transport["send"]>();
  const unanswered = vi.fn();
  const transport: Transport = {
    carriesHeaders: true,
    start: (given) => {
      receiver = given;
    },
    send,
    unanswered,
    close: () => undefined,
  };
  const dispatcher = await JsonRpcDispatcher.start(transport, () => ({
    request: async (inbound) => ({ ...(await request(inbound)) }),
    notification: () => undefined,
  }));
  return {
    dispatcher,
    send,
    unanswered,
    receive: (message: object, caller = {}) => receiver?.receive(message, caller),
  };
}

const call = { jsonrpc: "2.0", id: 7, method: "work" };

it("says which request a message belongs to, and which headers go with it", async () => {
  const { dispatcher, send, receive } = await play(async (inbound) => {
    void inbound.notify("step");
    void inbound.request("ask", {}, { headers: { "x-a": "1" } });
    return {};
  });
  receive(call);
  void dispatcher.request("plain").catch(() => undefined);
  void dispatcher.request("marked", {}, { headers: { "x-b": "2" } }).catch(() => undefined);
  void dispatcher.request("known", {}, { connectionHeaders: { "x-c": "3" } }).catch(() => undefined);
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(7));
  const options = send.mock.calls.map(([message, given]) => [(message as { method?: string }).method, given]);
  expect(options).toEqual(
    expect.arrayContaining([
      ["step", { relatedTo: 7 }],
      ["ask", { relatedTo: 7, headers: { "x-a": "1" } }],
      ["plain", undefined],
      ["marked", { headers: { "x-b": "2" } }],
      ["known", { connectionHeaders: { "x-c": "3" } }],
    ]),
  );
  expect(dispatcher.carriesHeaders).toBe(true);
  expect(await dispatcher.connectionHeaders()).toBeUndefined();
});

it("says that a cancelled request will not be answered", async () => {
  const { unanswered, receive, send } = await play(() => new Promise(() => undefined));
  receive(call);
  expect(unanswered).not.toHaveBeenCalled();
  receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
  expect(unanswered.mock.calls).toEqual([[7]]);
  expect(send).not.toHaveBeenCalled();
});

it("hands on who sent a request", async () => {
  const seen: unknown[] = [];
  const { receive } = await play(async ({ caller }) => {
    seen.push(caller);
    return {};
  });
  receive(call, { principal: "ada" });
  await vi.waitFor(() => expect(seen).toEqual([{ principal: "ada" }]));
});
