import { expect, test } from "vitest";
import { Outgoing, outgoing } from "./event-stream.js";

test.each([
  ["answer", { jsonrpc: "2.0", id: 1, result: {} }],
  ["request", { jsonrpc: "2.0", id: 1, method: "ping" }],
  ["notification", { jsonrpc: "2.0", method: "notifications/x" }],
] as const)("a message that is a %s goes out as one", (kind, message) => {
  expect(outgoing(message)).toEqual(new Outgoing(kind, JSON.stringify(message)));
});
