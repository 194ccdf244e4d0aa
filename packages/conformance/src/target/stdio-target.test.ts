import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import type { OpenPipe } from "../wire/line-process.js";
import { StdioTarget } from "./stdio-target.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A program that writes a line for each that it reads, and answers nothing. */
const noisy: OpenPipe = ({ onLine }) => ({
  write: () => onLine("hello"),
  endInput: () => undefined,
  kill: () => undefined,
});

test("a program that writes lines and answers nothing gets the time to start once", async () => {
  const target = new StdioTarget("noisy", noisy, { ...DEFAULT_LIMITS, timeoutMs: 10 });
  const first = target.open("2025-11-25");
  await vi.advanceTimersByTimeAsync(40);
  await first;

  const second = vi.fn();
  void target.open("2025-06-18").then(second);
  await vi.advanceTimersByTimeAsync(10);

  expect(second).toHaveBeenCalledOnce();
});
