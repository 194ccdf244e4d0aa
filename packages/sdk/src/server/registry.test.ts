import { describe, expect, it, vi } from "vitest";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import { encodeCursor, Registry } from "./registry.js";

function filled(items: number, pageSize: number): Registry<number> {
  const registry = new Registry<number>("tools", pageSize, () => undefined);
  for (let item = 1; item <= items; item += 1) registry.add(String(item), item);
  return registry;
}

describe("a page after a cursor that no page ends with", () => {
  it("begins with the next item that is left", () => {
    const registry = filled(2, 2);
    const removed = registry.add("3", 3);
    for (const item of [4, 5, 6]) registry.add(String(item), item);
    removed.remove();
    const after = (position: number) =>
      registry.page("tools", encodeCursor("tools", position), "", (item) => item).tools;
    expect([1, 2, 3, 4, 5, 6].map(after)).toEqual([[2, 4], [4, 5], [4, 5], [5, 6], [6], []]);
  });

  it("is cut without a walk over the items before it, and describes its own alone", () => {
    const registry = filled(100_000, 10);
    const describeItem = vi.fn((item: number) => item);
    registry.page("tools", encodeCursor("tools", 90_001), "", describeItem);
    expect(describeItem).toHaveBeenCalledTimes(10);
    expectCpuMsBelow(300, () => {
      for (let index = 1; index <= 2_000; index += 1) {
        registry.page("tools", encodeCursor("tools", 90_001 + index), "", describeItem);
      }
    });
  });
});
