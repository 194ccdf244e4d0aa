import { expect, it, vi } from "vitest";
import type { JsonObject } from "../protocol/json.js";
import type { Revision } from "../protocol/revisions.js";
import { type CallOptions, call } from "./calls.js";
import type { FetchOptions } from "./open-connection.js";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

it.each<[revision: Revision, options: CallOptions, meta: JsonObject | undefined]>([
  ["2026-07-28", {}, undefined],
  ["2026-07-28", { meta: { own: 1 } }, { own: 1 }],
  ["2026-07-28", { meta: { own: 1 }, logLevel: "info" }, { own: 1, [LOG_LEVEL]: "info" }],
  ["2025-11-25", { meta: { own: 1 }, logLevel: "info" }, { own: 1 }],
  ["2025-11-25", { logLevel: "info" }, undefined],
])("in %s with %j a request's _meta is %j", async (revision, options, meta) => {
  const request = vi.fn(async (_method: string, _params: JsonObject, _options?: FetchOptions) => ({ done: true }));
  const link = { request, verdict: { revision, server: {} } };
  expect(await call(link, "tools/call", { name: "x" }, { ...options, timeoutMs: 5 })).toEqual({ done: true });
  expect(request.mock.calls).toEqual([
    ["tools/call", meta ? { name: "x", _meta: meta } : { name: "x" }, { timeoutMs: 5 }],
  ]);
});
