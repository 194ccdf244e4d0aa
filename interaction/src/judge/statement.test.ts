import type { JsonRpcMessage, WireEntry } from "parley-mcp/testing";
import type { Revision } from "parley-requirements";
import { expect, test } from "vitest";
import { statementsOf } from "./statement.js";

const envelope = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

function hear(revision: Revision, ...entries: [WireEntry["from"], object][]): string[] {
  const log = entries.map(([from, message]) => ({ from, message: message as JsonRpcMessage }));
  return statementsOf(log, revision).map((said) => `${said.from} ${said.kind} ${said.method} ${said.revision}`);
}

test("an answer is about its request's method, ids compared as text, each direction by itself", () => {
  expect(
    hear(
      "2025-06-18",
      ["client", { id: 1, method: "tools/list" }],
      ["server", { id: 1, method: "ping" }],
      ["client", { id: "1", result: {} }],
      ["server", { id: 1, result: {} }],
      ["server", { id: 9, error: { code: 1, message: "" } }],
    ),
  ).toEqual([
    "client request tools/list 2025-06-18",
    "server request ping 2025-06-18",
    "client result ping 2025-06-18",
    "server result tools/list 2025-06-18",
    "server error undefined 2025-06-18",
  ]);
});

test("a probe is modern in a legacy conversation, and so is its answer", () => {
  expect(
    hear(
      "2025-06-18",
      ["client", { id: 1, method: "server/discover", params: { _meta: envelope } }],
      ["server", { id: 1, error: { code: -32601, message: "" } }],
      ["client", { id: 2, method: "initialize", params: { protocolVersion: "2025-11-25" } }],
      ["server", { id: 2, result: { protocolVersion: "2024-11-05" } }],
      ["client", { method: "notifications/initialized" }],
    ),
  ).toEqual([
    "client request server/discover 2026-07-28",
    "server error server/discover 2026-07-28",
    "client request initialize 2025-11-25",
    "server result initialize 2024-11-05",
    "client notification notifications/initialized 2024-11-05",
  ]);
});

test("a revision nobody knows is named the modern way, and changes nothing in a handshake", () => {
  const unknown = { "io.modelcontextprotocol/protocolVersion": "1900-01-01" };
  expect(
    hear(
      "2025-06-18",
      ["client", { id: 1, method: "tools/list", params: { _meta: unknown } }],
      ["client", { id: 2, method: "initialize", params: { protocolVersion: "1900-01-01" } }],
      ["server", { id: 2, result: { protocolVersion: "1900-01-01" } }],
    ),
  ).toEqual([
    "client request tools/list 2026-07-28",
    "client request initialize 2025-06-18",
    "server result initialize 2025-06-18",
  ]);
});

test("an id may be used again, and means neither of two requests that wait at the same time", () => {
  const methods = hear(
    "2025-06-18",
    ["client", { id: 1, method: "ping" }],
    ["server", { id: 1, result: {} }],
    ["client", { id: 1, method: "tools/list" }],
    ["server", { id: 1, result: {} }],
    ["client", { id: 1, method: "tools/list" }],
    ["client", { id: 1, method: "ping" }],
    ["server", { id: 1, error: { code: 1, message: "" } }],
    ["server", { id: 1, result: {} }],
  );
  expect(methods.filter((said) => said.startsWith("server"))).toEqual([
    "server result ping 2025-06-18",
    "server result tools/list 2025-06-18",
    "server error undefined 2025-06-18",
    "server result undefined 2025-06-18",
  ]);
});

test("the members of a batch are heard one by one", () => {
  const message = [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", method: "note" },
  ] as const;
  const said = statementsOf([{ from: "client", message }], "2025-03-26");
  expect(said.map(({ kind, isBatched }) => `${kind} ${isBatched}`)).toEqual(["request true", "notification true"]);
});
