import { expect, it, vi } from "vitest";
import { SharedFlight } from "./shared-flight.js";

/** Work that a test ends. */
function work() {
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const signals: AbortSignal[] = [];
  const start = vi.fn((signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((resolve, reject) => ends.push({ resolve, reject }));
  });
  return { start, ends, signals };
}

it("does the work once for all who wait, and again for whoever comes later", async () => {
  const flight = new SharedFlight<string>();
  const { start, ends } = work();
  const waiting = [flight.join(start), flight.join(start)];
  ends[0]?.resolve("done");
  expect(await Promise.all(waiting)).toEqual(["done", "done"]);
  const later = flight.join(start);
  ends[1]?.reject(new Error("failed"));
  await expect(later).rejects.toThrow("failed");
  expect(start).toHaveBeenCalledTimes(2);
});

it("goes on for the others when one gives up", async () => {
  const flight = new SharedFlight<string>();
  const { start, ends, signals } = work();
  const impatient = new AbortController();
  const [left, stays] = [flight.join(start, impatient.signal), flight.join(start, new AbortController().signal)];
  impatient.abort(new Error("enough"));
  await expect(left).rejects.toThrow("enough");
  expect(signals[0]?.aborted).toBe(false);
  ends[0]?.resolve("done");
  expect(await stays).toBe("done");
});

it("aborts the work when the last has given up, and begins anew after that", async () => {
  const flight = new SharedFlight<string>();
  const { start, ends, signals } = work();
  const waiting = new AbortController();
  const left = flight.join(start, waiting.signal);
  waiting.abort(new Error("enough"));
  await expect(left).rejects.toThrow("enough");
  expect(signals[0]?.aborted).toBe(true);
  const again = flight.join(start);
  ends[0]?.reject(new Error("aborted"));
  ends[1]?.resolve("second");
  expect(await again).toBe("second");
});

it("does not begin for somebody who has given up already", async () => {
  const { start } = work();
  const joined = new SharedFlight<string>().join(start, AbortSignal.abort(new Error("before")));
  await expect(joined).rejects.toThrow("before");
  expect(start).not.toHaveBeenCalled();
});
