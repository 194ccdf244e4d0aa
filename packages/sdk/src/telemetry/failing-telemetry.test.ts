import { type Context, context, diag, metrics, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import { type MiddlewareCall, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import type { JsonObject } from "../runtime/json.js";
import { recordTelemetry } from "./recorded-telemetry.fixture.js";
import { type TelemetryOptions, telemetry } from "./telemetry.js";

const params: JsonObject = { name: "add", arguments: {}, _meta: { traceparent: "x" } };
const outbound: MiddlewareCall<RequestContext> = {
  kind: "request",
  direction: "outbound",
  revision: "2026-07-28",
  method: "tools/call",
  params,
  context: undefined,
};
const inbound: MiddlewareCall<RequestContext> = { ...outbound, direction: "inbound" };

const fail = (): never => {
  throw new Error("telemetry is down");
};

/** Runs one call each way, and tells what reached the handler, what came back, and what was complained about. */
async function survive(options: TelemetryOptions = {}, result: unknown = { content: [] }) {
  const complaints: unknown[][] = [];
  const complain = (...complaint: unknown[]) => void complaints.push(complaint);
  diag.setLogger(
    { error: complain, warn: fail, info: fail, debug: fail, verbose: fail },
    { suppressOverrideMessage: true },
  );
  const handled: JsonObject[] = [];
  const run = (given: JsonObject) => {
    handled.push(given);
    return result;
  };
  const results = [
    await runThrough([telemetry(options)], outbound, run),
    await runThrough([telemetry(options)], inbound, run),
  ];
  expect(results).toEqual([result, result]);
  expect(handled).toHaveLength(2);
  expect(complaints.length).toBeGreaterThan(0);
  expect(String(complaints[0]?.[0])).toContain("telemetry failed");
  return handled;
}

test("a tracer that throws", async () => {
  using _recorded = recordTelemetry();
  const handled = await survive({ tracer: { startSpan: fail, startActiveSpan: fail } });
  expect(handled).toEqual([params, params]);
});

test("a propagator that throws", async () => {
  using recorded = recordTelemetry();
  propagation.disable();
  propagation.setGlobalPropagator({ inject: fail, extract: fail, fields: () => [] });
  const handled = await survive();
  expect(handled).toEqual([params, params]);
  expect(recorded.spans).toHaveLength(2);
});

test.each(["before", "after"])("a context manager that throws %s it calls", async (when) => {
  using _recorded = recordTelemetry();
  const manager = {
    active: () => ROOT_CONTEXT,
    with: (_context: Context, run: () => unknown) => {
      if (when === "after") run();
      return fail();
    },
    bind: fail,
    enable: fail,
    disable: () => manager,
  };
  context.disable();
  context.setGlobalContextManager(manager as never);
  await survive();
});

test("spans that throw", async () => {
  using _recorded = recordTelemetry();
  const span = trace.getTracer("x").startSpan("x");
  span.setAttributes = fail;
  await survive({ tracer: { startSpan: () => span, startActiveSpan: fail } });
});

test("a meter that throws", async () => {
  using recorded = recordTelemetry();
  const meter = metrics.getMeter("x");
  vi.spyOn(meter, "createHistogram").mockImplementation(fail);
  await survive({ meter });
  expect(recorded.spans).toHaveLength(2);
});

test("attributes, arguments and results that throw", async () => {
  using recorded = recordTelemetry();
  const cyclic: JsonObject = { content: [] };
  cyclic.self = cyclic;
  await survive({ attributes: fail, recordResults: true }, cyclic);
  expect(recorded.spans).toHaveLength(2);
});

test("a result that cannot be looked at", async () => {
  using recorded = recordTelemetry();
  const result = {
    get isError() {
      return fail();
    },
  };
  const given = await runThrough([telemetry()], outbound, () => result);
  expect(given).toBe(result);
  expect(recorded.spans).toHaveLength(1);
});

test("without a registered provider nothing is recorded or sent, and all goes on", async () => {
  const handled: JsonObject[] = [];
  await runThrough([telemetry()], outbound, (given) => handled.push(given));
  await runThrough([telemetry()], inbound, (given) => handled.push(given));
  expect(handled).toEqual([params, params]);
});

const hostile: readonly unknown[] = [
  7,
  null,
  "",
  "00-zz-zz-01",
  { deep: { er: 1 } },
  ["00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"],
  "00-00000000000000000000000000000000-0000000000000000-00",
  "a=".repeat(5_000),
];

test.each(hostile)("trace context of %j is ignored", async (value) => {
  using recorded = recordTelemetry();
  for (const _meta of [{ traceparent: value, tracestate: value, baggage: value }, value]) {
    await runThrough([telemetry()], { ...inbound, params: { _meta } }, () => {
      expect(propagation.getActiveBaggage()).toBeUndefined();
      return {};
    });
  }
  expect(recorded.spans.map((span) => span.parentSpanContext)).toEqual([undefined, undefined]);
});

test.each(["resolves", "rejects"])("a runtime without digests, for a call that %s", async (how) => {
  using recorded = recordTelemetry();
  const complaints: unknown[] = [];
  const error = (...complaint: unknown[]) => void complaints.push(complaint);
  diag.setLogger({ error, warn: fail, info: fail, debug: fail, verbose: fail }, { suppressOverrideMessage: true });
  const digest = vi.spyOn(crypto.subtle, "digest").mockRejectedValue(new Error("no digests"));
  onTestFinished(() => digest.mockRestore());
  // Described by these members alone.
  const context = { requestId: 1, era: "legacy", caller: { headers: { "mcp-session-id": "s-1" } } };
  const call = { ...inbound, context: { ...context, signal: new AbortController().signal } } as never;
  const run = async () => (how === "resolves" ? { content: [] } : Promise.reject(new Error("crash")));

  const outcome = await runThrough([telemetry()], call, run).then(
    () => "resolves",
    () => "rejects",
  );

  expect(outcome).toBe(how);
  expect(complaints).toHaveLength(1);
  expect(recorded.spans.map(({ attributes }) => attributes["mcp.session.id"])).toEqual([undefined]);
});
