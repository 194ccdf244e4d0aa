import { type Context, createContextKey, propagation, ROOT_CONTEXT, type TextMapGetter } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { extractTraceContext, injectTraceContext } from "./trace-context.js";

afterEach(() => propagation.disable());

test("a propagator of another format reads and writes names of its own", () => {
  const key = createContextKey("names");
  propagation.setGlobalPropagator({
    inject: (_context, carrier: { b3?: string }) => {
      carrier.b3 = "1-2-1";
    },
    extract: <Carrier>(context: Context, carrier: Carrier, getter: TextMapGetter<Carrier>) =>
      context.setValue(
        key,
        getter.keys(carrier).map((name) => getter.get(carrier, name)),
      ),
    fields: () => ["b3"],
  });

  expect(extractTraceContext({ _meta: { b3: "1-2-1", other: 7 } }, ROOT_CONTEXT).getValue(key)).toEqual([
    "1-2-1",
    undefined,
  ]);
  expect(injectTraceContext({ a: 1, _meta: { tracestate: "kept=1" } }, ROOT_CONTEXT)).toEqual({
    a: 1,
    _meta: { tracestate: "kept=1", b3: "1-2-1" },
  });
});

test("text that is too long for trace context is not handed to propagators", () => {
  const seen: unknown[] = [];
  propagation.setGlobalPropagator({
    inject: () => undefined,
    extract: <Carrier>(context: Context, carrier: Carrier, getter: TextMapGetter<Carrier>) => {
      seen.push(getter.get(carrier, "traceparent"), getter.get(carrier, "baggage")?.length);
      return context;
    },
    fields: () => [],
  });

  extractTraceContext({ _meta: { traceparent: "x".repeat(8_193), baggage: "x".repeat(8_192) } }, ROOT_CONTEXT);

  expect(seen).toEqual([undefined, 8_192]);
});

test("what is sent outside any trace is left as it is", () => {
  const params = { a: 1 };
  expect(injectTraceContext(params, ROOT_CONTEXT)).toBe(params);
});
