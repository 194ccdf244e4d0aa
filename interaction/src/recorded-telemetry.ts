/** OpenTelemetry as an application registers it, keeping spans in memory. It is global: one at a time. */
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

export interface RecordedTelemetry extends Disposable {
  /** In the order they ended. */
  readonly spans: readonly ReadableSpan[];
  /** The span of this name and kind; there has to be exactly one. */
  span(kind: number, name: string): ReadableSpan;
}

export function recordTelemetry(): RecordedTelemetry {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    span(kind, name) {
      const spans = exporter.getFinishedSpans();
      const found = spans.filter((span) => span.kind === kind && span.name === name);
      const [span] = found;
      if (found.length === 1 && span) return span;
      const names = spans.map((other) => `${other.kind} ${other.name}`).join(", ");
      throw new Error(`Expected one span "${kind} ${name}", got ${found.length} among ${names}`);
    },
    [Symbol.dispose]() {
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}
