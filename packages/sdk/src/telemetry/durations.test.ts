import { type Meter, ROOT_CONTEXT } from "@opentelemetry/api";
import { expect, test, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { type MiddlewareCall, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { Durations } from "./durations.js";
import { recordTelemetry } from "./recorded-telemetry.fixture.js";
import { telemetry } from "./telemetry.js";

const inbound = (method: string, params = {}): MiddlewareCall<RequestContext> => ({
  kind: "request",
  direction: "inbound",
  revision: "2025-11-25",
  method,
  params,
  // The middleware reads these members alone.
  context: { requestId: 1, era: "legacy", method, signal: new AbortController().signal } as RequestContext,
});

test("milliseconds are recorded as seconds", () => {
  const record = vi.fn();
  const meter = { createHistogram: () => ({ record }) } as unknown as Meter;
  new Durations("test", meter).record("outbound", 1_500, { a: "b" }, {} as never, ROOT_CONTEXT);
  expect(record).toHaveBeenCalledWith(1.5, { a: "b" }, ROOT_CONTEXT);
});

const refuse = (code: number) => () => Promise.reject(new ProtocolError(code, "No"));

test("calls are measured in seconds, what is served apart from what is sent", async () => {
  using recorded = recordTelemetry();
  const measured = telemetry();
  const served = inbound("tools/call", { name: "add", uri: "x" });
  await runThrough([measured], served, () => ({}));
  await runThrough([measured], served, () => ({ isError: true }));
  await runThrough([measured], { ...served, direction: "outbound", context: undefined }, () => ({}));

  const [server, client] = await recorded.histograms();
  const attributes = {
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2025-11-25",
    "gen_ai.tool.name": "add",
    "gen_ai.operation.name": "execute_tool",
  };
  expect(server?.descriptor).toMatchObject({ name: "mcp.server.operation.duration", unit: "s" });
  expect(client?.descriptor).toMatchObject({ name: "mcp.client.operation.duration", unit: "s" });
  expect(server?.dataPoints.map((point) => point.attributes)).toEqual([
    attributes,
    { ...attributes, "error.type": "tool_error" },
  ]);
  expect(client?.dataPoints.map((point) => point.attributes)).toEqual([attributes]);
  const [point] = server?.dataPoints ?? [];
  const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
  expect(point?.value.buckets.boundaries).toEqual(boundaries);
  expect(point?.value.sum).toBeGreaterThanOrEqual(0);
  expect(point?.value.sum).toBeLessThan(1);
});

test("names that a peer made up are in no metric", async () => {
  using recorded = recordTelemetry();
  const measured = telemetry();
  const calls = [
    [inbound("tools/call", { name: "made-up" }), refuse(-32602)],
    [inbound("prompts/get", { name: "made-up" }), refuse(-32602)],
    [inbound("made-up"), refuse(-32601)],
    [{ ...inbound("made-up"), kind: "notification", context: undefined }, () => undefined],
    [{ ...inbound("notifications/initialized"), kind: "notification", context: undefined }, () => undefined],
  ] as const;
  for (const [call, run] of calls) await runThrough([measured], call, run).catch(() => undefined);

  const [server] = await recorded.histograms();
  const points = server?.dataPoints ?? [];
  expect(JSON.stringify(points)).not.toContain("made-up");
  expect(points.map((point) => point.attributes["mcp.method.name"])).toEqual([
    "tools/call",
    "prompts/get",
    "_OTHER",
    "_OTHER",
    "notifications/initialized",
  ]);
});

test("a client names the tool of its own call that the server refused", async () => {
  using recorded = recordTelemetry();
  const call = { ...inbound("tools/call", { name: "own" }), direction: "outbound", context: undefined } as const;
  await runThrough([telemetry()], call, refuse(-32602)).catch(() => undefined);

  const [client] = await recorded.histograms();
  expect(client?.dataPoints.map(({ attributes }) => attributes["gen_ai.tool.name"])).toEqual(["own"]);
});
