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

describe("an item that is not listed", () => {
  it("is found, but is on no page, and changes no list", () => {
    const onChange = vi.fn();
    const registry = new Registry<number>("tools", 2, onChange);
    const registrations = [1, 2, 3].map((item) => registry.add(String(item), item, item !== 2));
    expect(onChange).toHaveBeenCalledTimes(2);
    const page = registry.page("tools", undefined, "", (item) => item);
    expect(page).toEqual({ tools: [1, 3] });
    expect([registry.get("2"), [...registry.from(0)].map(({ item }) => item)]).toEqual([2, [1, 3]]);
    registrations[1]?.remove();
    expect([registry.get("2"), onChange.mock.calls.length]).toEqual([undefined, 2]);
    expect(registry.page("tools", undefined, "", (item) => item)).toBe(page);
  });

  it("makes lists conditional while a function decides about it", () => {
    const registry = new Registry<number>("tools", 2, vi.fn());
    registry.add("1", 1);
    expect(registry.isConditional).toBe(false);
    const registration = registry.add("2", 2, () => false);
    expect(registry.isConditional).toBe(true);
    registration.remove();
    expect(registry.isConditional).toBe(false);
  });
});
