/**
 * Scenarios that the referee skips whatever is under test, so that no check of them can pass. The run fails if one of them
 * is no longer skipped.
 */
export const alwaysSkipped: readonly string[] = [
  // Its harness expects `notifications/tasks` on the response of `tools/call`, and they belong on listen streams.
  "tasks-status-notifications",
];
