/** Limits the reports of stores and channels that fail: each request of an outage fails in the same way. */
import type { ErrorCallback } from "../../../../runtime/error-callback.js";

const REPORT_INTERVAL_MS = 10_000;

/** Passes on at most one error per 10 seconds. */
export function limitReports(report: ErrorCallback, now: () => number = () => performance.now()): ErrorCallback {
  let nextAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (now() < nextAt) return;
    nextAt = now() + REPORT_INTERVAL_MS;
    report(error);
  };
}
