import { expect, it, vi } from "vitest";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { connectDirect } from "./direct-dispatcher.js";
import type { AcceptConnection } from "./dispatcher.js";

const result = { content: ["by reference"] };
const accept: AcceptConnection = () => ({
  request: ({ params }) => (params ? { params } : result),
  notification: () => undefined,
});

it("hands params and results over by reference", async () => {
  const [left] = connectDirect(accept, accept);
  expect(await left.request("work")).toBe(result);
  const params = { when: new Date(0) };
  expect((await left.request("work", params)).params).toBe(params);
  await left.close();
});

it("shows the tap every message as the JSON-RPC message it stands for", async () => {
  const seen: [string, JsonRpcMessage][] = [];
  const [left, right] = connectDirect(accept, accept, { tap: (from, message) => seen.push([from, message]) });
  await left.request("work", undefined, { id: "a" });
  await right.notify("notifications/a", { n: 1 });
  expect(seen).toEqual([
    ["left", { jsonrpc: "2.0", id: "a", method: "work" }],
    ["right", { jsonrpc: "2.0", id: "a", result }],
    ["right", { jsonrpc: "2.0", method: "notifications/a", params: { n: 1 } }],
  ]);
  await left.close();
});

it("survives a tap that fails, and reports it on the side whose message it saw", async () => {
  const onError = vi.fn();
  const tap = () => {
    throw new Error("broken");
  };
  const [left] = connectDirect(accept, accept, { tap, left: { onError } });
  expect(await left.request("work")).toBe(result);
  expect(onError.mock.calls).toMatchObject([[{ code: "handler-failed", cause: { message: "broken" } }]]);
  await left.close();
});

it("lets a side send while it is being made, before the other exists", async () => {
  const early: Promise<unknown>[] = [];
  const [left] = connectDirect((dispatcher) => {
    early.push(dispatcher.request("hello"));
    return accept(dispatcher);
  }, accept);
  expect(await early[0]).toBe(result);
  await left.close();
});
