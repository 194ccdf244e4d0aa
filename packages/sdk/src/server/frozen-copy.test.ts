import { describe, expect, it } from "vitest";
import { frozenCopy } from "./frozen-copy.js";

const cycle: Record<string, unknown> = { list: [] };
cycle.list = [{ back: cycle }];

describe("frozenCopy", () => {
  it("copies JSON, leaves out undefined members, and freezes every level", () => {
    const part = { list: [{ a: 1 }], none: null };
    const copy = frozenCopy({ part, same: part, absent: undefined }, "tool");
    expect(copy).toEqual({ part, same: part });
    expect("absent" in copy).toBe(false);
    expect(copy.part.list[0]).not.toBe(part.list[0]);
    expect([copy, copy.part, copy.part.list, copy.part.list[0]].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["bytes", new Uint8Array([1]), "tool: meta.value: expected JSON, got Uint8Array"],
    ["a buffer", new ArrayBuffer(1), "tool: meta.value: expected JSON, got ArrayBuffer"],
    ["a map", [new Map()], "tool: meta.value.0: expected JSON, got Map"],
    ["a date", { at: new Date(0) }, "tool: meta.value.at: expected JSON, got Date"],
    ["no number", Number.NaN, "tool: meta.value: expected JSON, got NaN"],
    ["a bigint", 1n, "tool: meta.value: expected JSON, got bigint"],
    ["a cycle", cycle, "tool: meta.value.list.0.back: expected JSON, got a value that contains itself"],
    ["a function", () => 1, "tool: the definition cannot be copied: "],
  ])("refuses %s with the path", (_name, value, message) => {
    expect(() => frozenCopy({ meta: { value } }, "tool")).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
    );
  });

  it("refuses what nests too deep", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth += 1) deep = [deep];
    expect(() => frozenCopy({ deep }, "tool")).toThrow("tool: the definition nests deeper than 1024 levels");
  });
});
