import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReconnectAttempts, resolveReconnectOptions } from "./reconnect-attempts.js";

const PLAN = { maxAttempts: 3, initialDelayMs: 100, maxDelayMs: 300 };
const { signal } = new AbortController();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("has defaults, can be turned off, and refuses what is no number from 0", () => {
  const defaults = { maxAttempts: 5, initialDelayMs: 500, maxDelayMs: 30_000 };
  expect([resolveReconnectOptions(undefined), resolveReconnectOptions(true)]).toEqual([defaults, defaults]);
  expect(resolveReconnectOptions({ maxAttempts: 1 })).toEqual({ ...defaults, maxAttempts: 1 });
  expect(resolveReconnectOptions(false)).toBeUndefined();
  expect(() => resolveReconnectOptions({ initialDelayMs: -1 })).toThrow(
    "reconnect.initialDelayMs: expected a number from 0, got -1",
  );
  expect(() => resolveReconnectOptions({ maxAttempts: Number.NaN })).toThrow("reconnect.maxAttempts");
});

it.each([
  { random: 0, waits: [100, 200, 300] },
  { random: 1, waits: [125, 250, 375] },
])("waits longer each time, up to the limit, plus a random part ($random)", async ({ random, waits }) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const reconnecting = new ReconnectAttempts(PLAN);
  for (const wait of waits) {
    const settled = vi.fn();
    const next = reconnecting.next(signal).then(settled);
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await next;
    expect(settled).toHaveBeenCalledWith(true);
  }
  expect(await reconnecting.next(signal)).toBe(false);
});

it("gets its attempts back by lasting, not by ending cleanly", async () => {
  const reconnecting = new ReconnectAttempts({ ...PLAN, maxAttempts: 1 });
  const next = async () => {
    const waiting = reconnecting.next(signal);
    await vi.advanceTimersByTimeAsync(125);
    return waiting;
  };
  expect(await next()).toBe(true);
  reconnecting.opened();
  vi.advanceTimersByTime(299);
  reconnecting.lost();
  expect(await next()).toBe(false);
  reconnecting.opened();
  vi.advanceTimersByTime(300);
  reconnecting.lost();
  expect(await next()).toBe(true);
});

it("ends the wait when it is told to, and leaves no timer and no listener", async () => {
  const stop = new AbortController();
  const remove = vi.spyOn(stop.signal, "removeEventListener");
  const waiting = new ReconnectAttempts(PLAN).next(stop.signal);
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await new ReconnectAttempts(PLAN).next(stop.signal)).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  expect(remove).toHaveBeenCalledOnce();
});
