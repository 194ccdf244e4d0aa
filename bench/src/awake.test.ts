import { expect, it, onTestFinished, vi } from "vitest";
import { awake } from "./awake.js";

/** The event loop has turned once. */
const real = setImmediate;
const turned = () => new Promise((resolve) => real(resolve));

it("turns the event loop as long as something runs, and no longer", async () => {
  const turns = vi.spyOn(globalThis, "setImmediate");
  onTestFinished(() => turns.mockRestore());
  const result = await awake(async () => {
    for (let left = 50; left > 0; left -= 1) await turned();
    return "done";
  });
  expect(result).toBe("done");
  const counted = turns.mock.calls.length;
  expect(counted).toBeGreaterThanOrEqual(50);
  for (let left = 5; left > 0; left -= 1) await turned();
  expect(turns.mock.calls.length).toBeLessThanOrEqual(counted + 1);
});

it("ends with what runs, also if that fails", async () => {
  await expect(awake(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
