import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { repeatRecovery } from "./repeat-recovery.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("recovers at each interval until it is stopped", async () => {
  const recover = vi.fn(async () => undefined);
  const stop = repeatRecovery(recover, 1_000, vi.fn());
  expect(recover).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(recover).toHaveBeenCalledTimes(3);
  stop();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(recover).toHaveBeenCalledTimes(3);
});

it("begins no recovery while another one runs", async () => {
  let end = () => undefined as void;
  const recover = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const stop = repeatRecovery(recover, 1_000, vi.fn());
  await vi.advanceTimersByTimeAsync(5_000);
  expect(recover).toHaveBeenCalledTimes(1);
  end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recover).toHaveBeenCalledTimes(2);
  stop();
});

it("reports an outage of the store once", async () => {
  const cause = new Error("offline");
  const report = vi.fn();
  const recover = vi
    .fn(async () => undefined as unknown)
    .mockRejectedValueOnce(cause)
    .mockRejectedValueOnce(cause);
  const stop = repeatRecovery(recover, 1_000, report);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(report).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ cause, message: expect.stringContaining("could not be recovered") }),
  );
  recover.mockRejectedValueOnce(cause);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(report).toHaveBeenCalledTimes(2);
  stop();
});
