import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { type MiddlewareCall, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import type { JsonObject } from "../runtime/json.js";
import { recordTelemetry } from "./recorded-telemetry.fixture.js";
import { telemetry } from "./telemetry.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const REMOTE = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

type Served = Partial<Pick<RequestContext, "era" | "signal" | "caller" | "method">>;

/** A call as the router makes it: what is being served has a context. */
function call(given: Partial<MiddlewareCall<RequestContext>>, served?: Served): MiddlewareCall<RequestContext> {
  const { method = "tools/call" } = given;
  const serving = { requestId: 7, era: "modern", method, signal: new AbortController().signal, ...served };
  return {
    kind: "request",
    direction: "inbound",
    revision: "2026-07-28",
    params: {},
    // The middleware reads these members alone.
    context: served ? (serving as RequestContext) : undefined,
    ...given,
    method,
  };
}

const outbound = (given: Partial<MiddlewareCall<RequestContext>>) => call({ direction: "outbound", ...given });

test("what arrives is a server span under the sender's, active while the handler runs", async () => {
  using recorded = recordTelemetry();
  const params = { name: "deploy", arguments: { env: "prod" }, _meta: { traceparent: REMOTE, baggage: "user=ada" } };
  const result = { content: [] };

  const seen: unknown[] = [];
  const answer = await runThrough([telemetry()], call({ params }, {}), (given) => {
    seen.push(given, trace.getActiveSpan()?.spanContext(), propagation.getActiveBaggage()?.getEntry("user")?.value);
    return result;
  });

  const [span] = recorded.spans;
  expect(answer).toBe(result);
  expect(seen).toEqual([params, span?.spanContext(), "ada"]);
  expect(seen[0]).toBe(params);
  expect(span).toMatchObject({
    name: "tools/call deploy",
    kind: SpanKind.SERVER,
    status: { code: SpanStatusCode.UNSET },
    parentSpanContext: { traceId: TRACE_ID, spanId: "00f067aa0ba902b7", isRemote: true },
    links: [],
    instrumentationScope: { name: "parley-mcp" },
  });
  expect(span?.attributes).toEqual({
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2026-07-28",
    "gen_ai.tool.name": "deploy",
    "gen_ai.operation.name": "execute_tool",
    "jsonrpc.request.id": "7",
  });
});

test("what is sent is a client span under the active one, and carries its own context in _meta", async () => {
  using recorded = recordTelemetry();
  const asSent = {
    name: "greet",
    _meta: { progressToken: 1, traceparent: REMOTE, tracestate: "old=1", baggage: "a=b" },
  };
  const sent: JsonObject[] = [];
  await trace.getTracer("app").startActiveSpan("app", async (app) => {
    await runThrough([telemetry()], outbound({ method: "prompts/get", params: asSent }), (given) => sent.push(given));
    app.end();
  });

  const [span, app] = recorded.spans;
  expect(span).toMatchObject({ name: "prompts/get greet", kind: SpanKind.CLIENT, links: [] });
  expect(span?.parentSpanContext?.spanId).toBe(app?.spanContext().spanId);
  const { traceId, spanId } = span?.spanContext() ?? {};
  expect(sent).toEqual([
    { name: "greet", _meta: { progressToken: 1, traceparent: `00-${traceId}-${spanId}-01`, baggage: "a=b" } },
  ]);
  expect(asSent._meta.traceparent).toBe(REMOTE);
});

test("without an active span the caller's own trace context is continued", async () => {
  using recorded = recordTelemetry();
  const sent: JsonObject[] = [];
  const params = { _meta: { traceparent: REMOTE, tracestate: "vendor=1" } };
  await runThrough([telemetry()], outbound({ method: "tools/list", params }), (given) => sent.push(given));

  const [span] = recorded.spans;
  expect(span?.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
  const traceparent = `00-${TRACE_ID}-${span?.spanContext().spanId}-01`;
  expect(sent).toEqual([{ _meta: { traceparent, tracestate: "vendor=1" } }]);
});

test("baggage of the active context goes along", async () => {
  using _recorded = recordTelemetry();
  const sent: JsonObject[] = [];
  const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
  await context.with(propagation.setBaggage(ROOT_CONTEXT, baggage), () =>
    runThrough([telemetry()], outbound({ kind: "notification", method: "acme/note" }), (given) => sent.push(given)),
  );

  expect(sent).toEqual([{ _meta: { traceparent: expect.any(String), baggage: "tenant=acme" } }]);
});

test("the span around a message that names another parent is linked", async () => {
  using recorded = recordTelemetry();
  const params = { _meta: { traceparent: REMOTE } };
  await trace.getTracer("app").startActiveSpan("POST /mcp", async (http) => {
    await runThrough([telemetry()], call({ method: "tools/list", params }, {}), () => ({}));
    await runThrough([telemetry()], call({ method: "tools/list" }, {}), () => ({}));
    http.end();
  });

  const [named, plain, http] = recorded.spans;
  expect(named?.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
  expect(named?.links.map((link) => link.context)).toEqual([http?.spanContext()]);
  expect(plain?.parentSpanContext?.spanId).toBe(http?.spanContext().spanId);
  expect(plain?.links).toEqual([]);
});

const fine = { code: SpanStatusCode.UNSET };
const failed = (message?: string) =>
  message ? { code: SpanStatusCode.ERROR, message } : { code: SpanStatusCode.ERROR };
const gone = AbortSignal.abort();
const cancelled = AbortSignal.abort(new SdkError("request-aborted", "The peer cancelled: too slow"));

test.each([
  ["a protocol error that is answered", call({}, {}), new ProtocolError(503, "Busy"), failed("Busy"), ["503", "503"]],
  ["a crash", call({ method: "prompts/get" }, {}), new Error("secret"), failed("Internal error"), ["-32603", "-32603"]],
  ["a tool that crashes", call({}, {}), new Error("secret"), failed(), ["tool_error", undefined]],
  ["a fault of the caller", call({}, {}), new ProtocolError(-32602, "Bad"), fine, [undefined, "-32602"]],
  ["an aborted request", call({}, { signal: gone }), new Error("stop"), failed(), ["cancelled", undefined]],
  [
    "a cancelled request",
    call({}, { signal: cancelled }),
    new Error("stop"),
    failed("The peer cancelled: too slow"),
    ["cancelled", undefined],
  ],
  ["an error answer", outbound({}), new ProtocolError(-32602, "Bad"), failed("Bad"), ["-32602", "-32602"]],
  ["a timeout", outbound({}), new SdkError("request-timeout", "Late"), failed("Late"), ["request-timeout", undefined]],
  ["another error", outbound({}), new TypeError("odd"), failed(), ["TypeError", undefined]],
  ["no error at all", outbound({}), "odd", failed(), ["_OTHER", undefined]],
  [
    "a notification's handler that throws",
    call({ kind: "notification", method: "acme/note" }),
    new ProtocolError(503, "Busy"),
    failed(),
    ["ProtocolError", undefined],
  ],
])("%s is told by the span and rejects as it was", async (_name, given, error, status, [type, code]) => {
  using recorded = recordTelemetry();
  const thrown = await runThrough([telemetry()], given, () => Promise.reject(error)).catch((reason: unknown) => reason);

  const [span] = recorded.spans;
  expect(thrown).toBe(error);
  expect(span?.status).toEqual(status);
  expect([span?.attributes["error.type"], span?.attributes["rpc.response.status_code"]]).toEqual([type, code]);
});

test.each(["inbound", "outbound"] as const)("a tool that failed is an error of its %s span", async (direction) => {
  using recorded = recordTelemetry();
  const given = call({ direction, params: { name: "deploy" } }, direction === "inbound" ? {} : undefined);
  await runThrough([telemetry()], given, () => ({ isError: true, content: [] }));

  const [span] = recorded.spans;
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span?.attributes["error.type"]).toBe("tool_error");
});

test("arguments, results and attributes of one's own are on spans only if asked for", async () => {
  using recorded = recordTelemetry();
  const asked = telemetry({
    recordArguments: true,
    recordResults: true,
    attributes: ({ method }) => ({ "network.transport": "pipe", seen: method }),
  });
  const tool = call({ params: { name: "add", arguments: { a: 1 } } }, {});
  await runThrough([asked], tool, () => ({ content: [], structuredContent: { sum: 1 } }));
  await runThrough([telemetry()], tool, () => ({ content: [], structuredContent: { sum: 1 } }));

  const [open, closed] = recorded.spans;
  expect(open?.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"a":1}',
    "gen_ai.tool.call.result": '{"content":[],"structuredContent":{"sum":1}}',
    "network.transport": "pipe",
    seen: "tools/call",
  });
  expect(Object.keys(closed?.attributes ?? {}).sort()).toEqual([
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "jsonrpc.request.id",
    "mcp.method.name",
    "mcp.protocol.version",
  ]);
});

test("a tracer and a meter of one's own are used in place of the registered ones", async () => {
  using recorded = recordTelemetry();
  const [tracer, meter] = [trace.getTracer("mine"), metrics.getMeter("mine")];
  await runThrough([telemetry({ tracer, meter })], call({}, {}), () => ({}));

  expect(recorded.spans[0]?.instrumentationScope.name).toBe("mine");
  expect(await recorded.histograms()).toHaveLength(1);
});
