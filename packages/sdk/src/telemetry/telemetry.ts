/**
 * Middleware that records spans and durations and propagates trace context, by OpenTelemetry's semantic conventions for MCP.
 * Only this folder imports `@opentelemetry/api`. No other folder imports this one.
 */
import {
  type Attributes,
  type Context,
  context as contexts,
  diag,
  type Link,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import type { Middleware, MiddlewareCall, MiddlewareNext } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import {
  argumentAttributes,
  type CallDescription,
  describeCall,
  resultAttributes,
  SessionDigests,
  sessionOf,
} from "./call-description.js";
import { Durations } from "./durations.js";
import { type Outcome, outcomeOfError, outcomeOfResult } from "./outcome.js";
import { extractTraceContext, injectTraceContext } from "./trace-context.js";

const SCOPE = "parley-mcp";

/** Options of `telemetry`. */
export interface TelemetryOptions {
  /** Tracer for the spans. @defaultValue the registered provider's tracer */
  readonly tracer?: Tracer;
  /** Meter for the durations. @defaultValue the registered provider's meter */
  readonly meter?: Meter;
  /** Puts the arguments of tools and prompts on spans. They may hold anything that users type. @defaultValue false */
  readonly recordArguments?: boolean;
  /** Puts the results of tools on spans. @defaultValue false */
  readonly recordResults?: boolean;
  /** Attributes to add to the span of a call, such as `network.transport`. @defaultValue none */
  readonly attributes?: (call: MiddlewareCall<RequestContext>) => Attributes;
}

const OPTIONS: OptionTable<TelemetryOptions> = {
  tracer: "object",
  meter: "object",
  recordArguments: "boolean",
  recordResults: "boolean",
  attributes: "function",
};

interface Operation extends CallDescription {
  readonly span: Span;
  /** The active context while the call runs. */
  readonly active: Context;
  readonly startedMs: number;
}

/**
 * Middleware that traces and measures calls, for `use` on either side. Add it first, so that it is outermost.
 * @throws {SdkError} `invalid-argument` for an unknown option.
 *
 * @example
 * server.use(telemetry());
 */
export function telemetry(options: TelemetryOptions = {}): Middleware<RequestContext> {
  checkOptions("telemetry", options, OPTIONS);
  const tracer = options.tracer ?? trace.getTracer(SCOPE);
  const durations = new Durations(SCOPE, options.meter);
  const digests = new SessionDigests();

  return async (call, next) => {
    const operation = guarded(() => begin(tracer, call, options));
    if (!operation) return next();
    const named = nameSession(operation.span, sessionOf(call), digests);
    const finish = (read: () => Outcome) => end(operation, guarded(read) ?? {}, durations, call);
    try {
      const result = await runActive(operation.active, call, next);
      if (named !== undefined) await named;
      if (options.recordResults) guarded(() => operation.span.setAttributes(resultAttributes(call, result)));
      finish(() => outcomeOfResult(call, result));
      return result;
    } catch (error) {
      if (named !== undefined) await named;
      finish(() => outcomeOfError(call, error));
      throw error;
    }
  };
}

function begin(tracer: Tracer, call: MiddlewareCall<RequestContext>, options: TelemetryOptions): Operation {
  const ambient = contexts.active();
  const parent = parentOf(call, ambient);
  const description = describeCall(call);
  const span = tracer.startSpan(
    description.spanName,
    {
      kind: call.direction === "inbound" ? SpanKind.SERVER : SpanKind.CLIENT,
      attributes: description.spanAttributes,
      links: linksTo(ambient, parent),
    },
    parent,
  );
  const { attributes, recordArguments } = options;
  if (attributes) guarded(() => span.setAttributes(attributes(call)));
  if (recordArguments) guarded(() => span.setAttributes(argumentAttributes(call)));
  return { ...description, span, active: trace.setSpan(parent, span), startedMs: performance.now() };
}

/** Puts the digest of a session id on a span. Returns a promise if the digest must be computed. */
function nameSession(span: Span, id: string | undefined, digests: SessionDigests): Promise<void> | undefined {
  const digest = id === undefined ? undefined : digests.of(id);
  if (digest === undefined) return undefined;
  const name = (known: string) => void guarded(() => span.setAttribute("mcp.session.id", known));
  if (typeof digest === "string") return name(digest);
  const report = (error: unknown) =>
    void guarded(() => {
      throw error;
    });
  return digest.then(name, report);
}

/** A received call continues the trace of its sender. A sent call continues the active trace, or the one in its `_meta`. */
function parentOf({ direction, params }: MiddlewareCall<RequestContext>, ambient: Context): Context {
  if (direction === "outbound" && trace.getSpan(ambient)) return ambient;
  return guarded(() => extractTraceContext(params, ambient)) ?? ambient;
}

/** Links the span to the ambient span (the transport's) if the message names another parent. */
function linksTo(ambient: Context, parent: Context): Link[] {
  const around = trace.getSpanContext(ambient);
  return around && around.spanId !== trace.getSpanContext(parent)?.spanId ? [{ context: around }] : [];
}

/** Calls `next` exactly once, even if the context manager fails. */
function runActive(active: Context, call: MiddlewareCall<RequestContext>, next: MiddlewareNext): Promise<unknown> {
  const params = call.direction === "outbound" ? guarded(() => injectTraceContext(call.params, active)) : undefined;
  let running: Promise<unknown> | undefined;
  guarded(() =>
    contexts.with(active, () => {
      running = next(params);
    }),
  );
  return running ?? next(params);
}

function end(
  { span, active, startedMs, metricAttributes }: Operation,
  outcome: Outcome,
  durations: Durations,
  call: MiddlewareCall<RequestContext>,
): void {
  const { code, errorType, message } = outcome;
  const ended: Attributes = {};
  if (code !== undefined) ended["rpc.response.status_code"] = String(code);
  if (errorType !== undefined) ended["error.type"] = errorType;
  guarded(() => {
    span.setAttributes(ended);
    if (errorType !== undefined)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    span.end();
  });
  guarded(() =>
    durations.record(call.direction, performance.now() - startedMs, { ...metricAttributes, ...ended }, outcome, active),
  );
}

/** Runs telemetry code, which must never fail a request. Errors go to OpenTelemetry's own diagnostics. */
function guarded<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    diag.error("parley-mcp: telemetry failed, and the request went on without it", error);
    return undefined;
  }
}
