import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SlowReaders } from "./slow-readers.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const reader = (owner = "one") => ({ owner, disconnect: vi.fn() });

it("disconnects a reader that makes no progress in time, and no other", () => {
  const readers = new SlowReaders({ stallTimeoutMs: 1_000, maxTotalQueuedBytes: 1_000 });
  const [stalled, slow, quick, blocked] = [reader(), reader(), reader(), reader()];
  for (const each of [stalled, slow, quick]) readers.set(each, 100, true);
  readers.set(blocked, 100, false);
  vi.advanceTimersByTime(900);
  readers.set(stalled, 110, true);
  readers.set(slow, 90, true);
  readers.set(quick, 0, true);
  readers.set(quick, 0, true);
  vi.advanceTimersByTime(900);
  expect(stalled.disconnect).toHaveBeenCalledOnce();
  for (const each of [slow, quick, blocked]) expect(each.disconnect).not.toHaveBeenCalled();
  readers.set(slow, 90, false);
  readers.set(blocked, 100, true);
  vi.advanceTimersByTime(1_000);
  expect(slow.disconnect).not.toHaveBeenCalled();
  expect(blocked.disconnect).toHaveBeenCalledOnce();
});

it("disconnects the one without progress for longest where all are over the limit", () => {
  const readers = new SlowReaders({ stallTimeoutMs: 1_000, maxTotalQueuedBytes: 1_000 });
  const [first, second, third, blocked] = [reader(), reader(), reader(), reader()];
  readers.set(blocked, 300, false);
  readers.set(first, 300, true);
  readers.set(second, 300, true);
  readers.set(first, 200, true);
  readers.set(third, 201, true);
  expect(second.disconnect).toHaveBeenCalledOnce();
  expect(first.disconnect).not.toHaveBeenCalled();
  readers.set(first, 0, true);
  readers.set(third, 0, true);
  readers.set(third, 800, false);
  expect(blocked.disconnect).toHaveBeenCalledOnce();
});

it("disconnects a reader of the owner with the most bytes, and not the one without progress for longest", () => {
  const readers = new SlowReaders({ stallTimeoutMs: 1_000, maxTotalQueuedBytes: 1_000 });
  const polite = reader("polite");
  const greedy = [reader("greedy"), reader("greedy"), reader("greedy")];
  readers.set(polite, 400, true);
  for (const each of greedy) readers.set(each, 250, true);
  expect(polite.disconnect).not.toHaveBeenCalled();
  expect(greedy.map(({ disconnect }) => disconnect.mock.calls.length)).toEqual([1, 0, 0]);
});

it("lets a single reader have more than the limit", () => {
  const readers = new SlowReaders({ stallTimeoutMs: 1_000, maxTotalQueuedBytes: 1_000 });
  const only = reader();
  readers.set(only, 5_000, true);
  expect(only.disconnect).not.toHaveBeenCalled();
});
