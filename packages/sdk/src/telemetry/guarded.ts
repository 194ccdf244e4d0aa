import { diag } from "@opentelemetry/api";

/** Runs what must never fail a request. What it throws goes to OpenTelemetry's own diagnostics. */
export function guarded<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    diag.error("parley-mcp: telemetry failed, and the request went on without it", error);
    return undefined;
  }
}
