import { expect, it } from "vitest";
import { CallHandle } from "./call-handle.js";

it("ends what runs, and the signal, once", () => {
  const handle = new CallHandle();
  const reasons: unknown[] = [];
  handle.runs({ end: (reason) => reasons.push(reason), sent: async () => undefined });
  const { signal } = handle;
  expect([handle.hasEnded, signal.aborted]).toEqual([false, false]);
  handle.end("first");
  handle.end("second");
  expect([handle.hasEnded, signal.reason, reasons]).toEqual([true, "first", ["first"]]);
  expect(() => handle.throwIfEnded()).toThrow("first");
});

it("hands out a signal that says so if it has ended before", () => {
  const handle = new CallHandle();
  handle.throwIfEnded();
  handle.end("enough");
  expect(handle.signal.reason).toBe("enough");
});

it("counts as sent if nobody can tell", async () => {
  await new CallHandle().sent();
});
