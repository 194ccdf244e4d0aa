import { expect, it, vi } from "vitest";
import { awake } from "./awake.js";

it("turns the event loop as long as something runs, and no longer", async () => {
  const turns = vi.spyOn(globalThis, "setImmediate");
  const result = await awake(async () => {
    while (turns.mock.calls.length < 50) await new Promise((resolve) => setTimeout(resolve));
    return "done";
  });
  expect(result).toBe("done");
  const counted = turns.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve));
  expect(turns.mock.calls.length).toBeLessThanOrEqual(counted + 1);
  turns.mockRestore();
});

it("ends with what runs, also if that fails", async () => {
  await expect(awake(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
