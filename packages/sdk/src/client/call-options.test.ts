import { expect, it, vi } from "vitest";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import { addMeta, type CallOptions } from "./call-options.js";
import type { SendCall } from "./client-call.js";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

it.each<[revision: Revision, options: CallOptions, meta: JsonObject | undefined]>([
  ["2026-07-28", {}, undefined],
  ["2026-07-28", { meta: { own: 1 } }, { own: 1 }],
  ["2026-07-28", { meta: { own: 1 }, logLevel: "info" }, { own: 1, [LOG_LEVEL]: "info" }],
  ["2025-11-25", { meta: { own: 1 }, logLevel: "info" }, { own: 1 }],
  ["2025-11-25", { logLevel: "info" }, undefined],
])("in %s with %j a request's _meta is %j", async (revision, options, meta) => {
  const next = vi.fn<SendCall>(async () => ({ done: true }));
  const step = addMeta({ negotiated: { revision, server: {} } });
  const call = { method: "tools/call", params: { name: "x" }, options: { ...options, timeoutMs: 5 } };
  expect(await step(call, next)).toEqual({ done: true });
  const params = meta ? { name: "x", _meta: meta } : { name: "x" };
  expect(next.mock.calls).toEqual([[{ method: "tools/call", params, options: { timeoutMs: 5 } }]]);
});
