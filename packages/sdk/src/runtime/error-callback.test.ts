import { expect, it, vi } from "vitest";
import { createErrorCallback, limitReports } from "./error-callback.js";

it("wraps a callback once, so that those who pass it on share it", () => {
  const onError = vi.fn();
  const callback = createErrorCallback(onError);
  expect(createErrorCallback(callback)).toBe(callback);
  const error = new Error("lost");
  callback(error);
  expect(onError).toHaveBeenCalledExactlyOnceWith(error);
});

it("passes on one error per 10 seconds", () => {
  let now = 0;
  const report = vi.fn();
  const limited = limitReports(report, () => now);
  const [first, later] = [new Error("first"), new Error("later")];
  limited(first);
  now = 9_999;
  limited(new Error("between"));
  now = 10_000;
  limited(later);
  expect(report.mock.calls).toEqual([[first], [later]]);
});
