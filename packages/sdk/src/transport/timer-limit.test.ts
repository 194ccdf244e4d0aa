import { expect, it, vi } from "vitest";
import { CallHandle } from "./http/call-handle.js";
import { timeLimit } from "./http/time-limit.js";
import { timerMs } from "./timer-limit.js";

it("leaves what a timer can hold alone, and cuts the rest to that", () => {
  expect([0, 5, 0x7fff_ffff, 0x8000_0000, Number.POSITIVE_INFINITY].map(timerMs)).toEqual([
    0,
    5,
    ...Array.from({ length: 3 }, () => 0x7fff_ffff),
  ]);
});

it("keeps a limit that is none from being over at once", () => {
  const start = vi.spyOn(globalThis, "setTimeout");
  timeLimit(Number.POSITIVE_INFINITY, "late", new CallHandle()).end();
  expect(start).toHaveBeenCalledWith(expect.any(Function), 0x7fff_ffff);
  start.mockRestore();
});
