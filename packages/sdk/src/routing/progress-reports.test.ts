import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { ProgressReports } from "./progress-reports.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function reporting(intervalMs?: number) {
  const controller = new AbortController();
  const sent: unknown[] = [];
  const request = {
    signal: controller.signal,
    isSettled: false,
    notify: async (_method: string, { progress }: { progress: number }) => void sent.push(progress),
  };
  // The rest of a request is not used here.
  const reports = new ProgressReports(request as unknown as InboundRequest, intervalMs);
  const report = (...values: number[]) => {
    for (const progress of values) void reports.report({ progress });
  };
  const left = () => [vi.getTimerCount(), getEventListeners(controller.signal, "abort").length];
  return { controller, request, reports, report, sent, left };
}

it("sends every value that rises, and starts no timer, without an interval", () => {
  const { report, sent, left, reports } = reporting();
  report(1, 1, 0, 2);
  reports.finish();
  report(3);
  expect(sent).toEqual([1, 2]);
  expect(left()).toEqual([0, 0]);
});

it("sends the first at once, then the latest once per interval, and nothing in idle ones", () => {
  const { report, sent, left } = reporting(100);
  report(1, 2, 3, 2.5);
  expect(sent).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual([1, 3]);
  report(4);
  vi.advanceTimersByTime(99);
  expect(sent).toEqual([1, 3]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([1, 3, 4]);
  vi.advanceTimersByTime(100);
  expect(left()).toEqual([0, 0]);
  report(5);
  expect(sent).toEqual([1, 3, 4, 5]);
  expect(left()).toEqual([1, 1]);
});

it("sends what it kept back when the answer is about to go out, and nothing after that", () => {
  const { report, sent, left, reports } = reporting(100);
  report(1, 2, 3);
  reports.finish();
  report(4);
  reports.finish();
  vi.runAllTimers();
  expect(sent).toEqual([1, 3]);
  expect(left()).toEqual([0, 0]);
});

it("sends nothing of a request that has ended before its answer was made", () => {
  const { report, sent, request, reports } = reporting(100);
  report(1, 2);
  request.isSettled = true;
  report(3);
  reports.finish();
  expect(sent).toEqual([1]);
});

it("drops what it kept back when the request is cancelled", () => {
  const { controller, report, sent, left, reports } = reporting(100);
  report(1, 2);
  controller.abort();
  report(3);
  reports.finish();
  expect(sent).toEqual([1]);
  expect(left()).toEqual([0, 0]);
});

it("waits for the end alone with an interval beyond what timers can count", () => {
  const { report, sent, reports } = reporting(Number.POSITIVE_INFINITY);
  report(1, 2);
  vi.advanceTimersByTime(1_000_000);
  report(3);
  reports.finish();
  expect(sent).toEqual([1, 3]);
});
