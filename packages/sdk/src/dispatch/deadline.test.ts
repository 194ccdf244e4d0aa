import { expect, it } from "vitest";
import { timeoutsAfter } from "./deadline.js";

const HOUR = 3_600_000;

it.each([
  ["what was not waited", { timeoutMs: 1_000 }, 600, { timeoutMs: 400, maxTimeoutMs: 400 }],
  ["what the longest wait leaves", { timeoutMs: 1_000, maxTimeoutMs: 700 }, 600, { timeoutMs: 100, maxTimeoutMs: 100 }],
  ["nothing once the time is up", { timeoutMs: 1_000 }, 1_000, undefined],
  [
    "no end of an endless wait",
    { timeoutMs: Number.POSITIVE_INFINITY },
    600,
    { timeoutMs: Number.POSITIVE_INFINITY, maxTimeoutMs: Number.POSITIVE_INFINITY },
  ],
  [
    "a whole timeout that restarts",
    { timeoutMs: 10, restarts: true },
    600,
    { timeoutMs: 10, maxTimeoutMs: HOUR - 600 },
  ],
  [
    "the end of the longest wait, for a timeout that restarts",
    { timeoutMs: 1_000, maxTimeoutMs: 2_000, restarts: true },
    1_500,
    { timeoutMs: 500, maxTimeoutMs: 500 },
  ],
])("leaves %s", (_what, wait, elapsedMs, left) => {
  expect(timeoutsAfter(elapsedMs, { maxTimeoutMs: undefined, restarts: false, ...wait })).toEqual(left);
});
