import { expect, it } from "vitest";
import { CallController } from "./call-controller.js";

it("ends what runs, and the signal, once", () => {
  const controller = new CallController();
  const reasons: unknown[] = [];
  controller.attach({ abort: (reason) => reasons.push(reason), sent: async () => undefined });
  const { signal } = controller;
  expect([controller.isAborted, signal.aborted]).toEqual([false, false]);
  controller.abort("first");
  controller.abort("second");
  expect([controller.isAborted, signal.reason, reasons]).toEqual([true, "first", ["first"]]);
  expect(() => controller.throwIfAborted()).toThrow("first");
});

it("hands out a signal that says so if it has ended before", () => {
  const controller = new CallController();
  controller.throwIfAborted();
  controller.abort("enough");
  expect(controller.signal.reason).toBe("enough");
});

it("counts as sent if nobody can tell", async () => {
  await new CallController().sent();
});
