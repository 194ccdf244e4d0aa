import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withRequestTimeout } from "./request-timeout.js";

const never = new Promise<never>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("hands on what was awaited, well or ill, and leaves no timer", async () => {
  expect(await withRequestTimeout(Promise.resolve(7), "tools/call", {})).toBe(7);
  await expect(withRequestTimeout(Promise.reject(new Error("gone")), "tools/call", {})).rejects.toThrow("gone");
  expect(vi.getTimerCount()).toBe(0);
});

it("gives up when its time is over", async () => {
  const waiting = withRequestTimeout(never, "tools/call", { timeoutMs: 50 });
  const expected = expect(waiting).rejects.toMatchObject({ code: "request-timeout" });
  await vi.advanceTimersByTimeAsync(50);
  await expected;
});

it("gives up when it is aborted, before or meanwhile, and leaves no timer and no listener", async () => {
  const stop = new AbortController();
  const remove = vi.spyOn(stop.signal, "removeEventListener");
  const waiting = withRequestTimeout(never, "tools/call", { signal: stop.signal });
  stop.abort("enough");
  await expect(waiting).rejects.toMatchObject({ code: "request-aborted", cause: "enough" });
  await expect(withRequestTimeout(never, "tools/call", { signal: stop.signal })).rejects.toMatchObject({
    code: "request-aborted",
  });
  expect(vi.getTimerCount()).toBe(0);
  expect(remove).toHaveBeenCalledTimes(2);
});
