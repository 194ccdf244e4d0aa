/** OpenTelemetry as an application would register it, with everything kept in memory for a test to look at. */
import { context, diag, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { type HistogramMetricData, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export interface RecordedTelemetry extends Disposable {
  /** In the order they ended. */
  readonly spans: readonly ReadableSpan[];
  histograms(): Promise<HistogramMetricData[]>;
}

/** Registers everything globally until it is disposed of. */
export function recordTelemetry(): RecordedTelemetry {
  const exporter = new InMemorySpanExporter();
  const reader = new OnDemandReader();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    async histograms() {
      const { resourceMetrics } = await reader.collect();
      // The SDK records histograms alone.
      return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics) as HistogramMetricData[];
    },
    [Symbol.dispose]() {
      for (const api of [trace, metrics, context, propagation, diag]) api.disable();
    },
  };
}
