import { describe, expect, it, vi } from "vitest";
import type { StateBinding } from "./state-seal.js";
import { StateSeal, type StateSealOptions } from "./state-seal.js";
import type { UsedStates } from "./used-states.js";

const binding: StateBinding = { principal: undefined, method: "prompts/get", params: { name: "greet" } };
const payload = { answers: { ok: true } };
const oldKey = new Uint8Array(32).fill(1);
const newKey = new Uint8Array(32).fill(2);
const refused = { code: -32602, message: "requestState: not valid for this request; start over without it" };

describe("keys", () => {
  it("open what another process sealed with them", async () => {
    const state = await new StateSeal({ keys: [oldKey] }).seal(payload, binding);
    expect(await new StateSeal({ keys: [oldKey] }).open(state, binding)).toEqual(payload);
  });

  it("rotate: the first seals, all open, and one that is dropped opens no more", async () => {
    const before = new StateSeal({ keys: [oldKey] });
    const during = new StateSeal({ keys: [newKey, oldKey] });
    const after = new StateSeal({ keys: [newKey] });
    const early = await before.seal("early", binding);
    const late = await during.seal("late", binding);
    expect(await during.open(early, binding)).toBe("early");
    expect(await during.open(late, binding)).toBe("late");
    expect(await after.open(late, binding)).toBe("late");
    await expect(after.open(early, binding)).rejects.toMatchObject(refused);
    await expect(before.open(late, binding)).rejects.toMatchObject(refused);
  });

  it("are copied, whatever happens to the bytes afterwards", async () => {
    const bytes = Buffer.from(oldKey);
    const seal = new StateSeal({ keys: [bytes] });
    bytes.fill(0);
    expect(await new StateSeal({ keys: [oldKey] }).open(await seal.seal(payload, binding), binding)).toEqual(payload);
  });

  it("are imported once, and not before they are needed", async () => {
    const importKey = vi.spyOn(crypto.subtle, "importKey");
    const random = vi.spyOn(crypto, "getRandomValues");
    const seal = new StateSeal();
    expect(random).not.toHaveBeenCalled();
    const states = await Promise.all([seal.seal(1, binding), seal.seal(2, binding)]);
    expect(await Promise.all(states.map((state) => seal.open(state, binding)))).toEqual([1, 2]);
    expect(importKey).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });
});

describe("singleUse", () => {
  it("lets one of many attempts at once open a state", async () => {
    const seal = new StateSeal({ singleUse: true });
    const state = await seal.seal(payload, binding);
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => seal.open(state, binding)));
    const opened = attempts.filter(({ status }) => status === "fulfilled");
    expect(opened).toEqual([{ status: "fulfilled", value: payload }]);
    await expect(seal.open(state, binding)).rejects.toMatchObject({
      ...refused,
      cause: { message: "The requestState does not open: it was used before" },
    });
  });

  it("counts states, not payloads, by the seal's own clock", async () => {
    const seal = new StateSeal({ singleUse: true, now: () => 0 });
    const [one, other] = await Promise.all([seal.seal(payload, binding), seal.seal(payload, binding)]);
    expect(await seal.open(one, binding)).toEqual(payload);
    expect(await seal.open(other, binding)).toEqual(payload);
  });

  it("is not used up by an attempt that is refused", async () => {
    let now = 0;
    const seal = new StateSeal({ singleUse: true, now: () => now });
    const state = await seal.seal(payload, binding);
    await expect(seal.open(state, { ...binding, principal: "eve" })).rejects.toMatchObject(refused);
    now = 600_000;
    await expect(seal.open(state, binding)).rejects.toMatchObject(refused);
    now = 0;
    expect(await seal.open(state, binding)).toEqual(payload);
  });

  it("shares a store between processes, told when a state expires and whose it is", async () => {
    const ids = new Set<string>();
    const claim = vi.fn(async (id: string) => ids.size < ids.add(id).size);
    const options: StateSealOptions = { keys: [oldKey], singleUse: { claim }, ttlMs: 50, now: () => 1_000 };
    const state = await new StateSeal(options).seal(payload, binding);
    expect(await new StateSeal(options).open(state, binding)).toEqual(payload);
    await expect(new StateSeal(options).open(state, binding)).rejects.toMatchObject(refused);
    const id = expect.stringMatching(/^[\w-]{16}$/);
    expect(claim.mock.calls).toEqual([
      [id, 1_050, binding.principal],
      [id, 1_050, binding.principal],
    ]);
  });

  it("opens nothing while its store fails, and blames the store", async () => {
    const failure = new Error("store unreachable");
    const singleUse: UsedStates = { claim: () => Promise.reject(failure) };
    const seal = new StateSeal({ singleUse });
    await expect(seal.open(await seal.seal(payload, binding), binding)).rejects.toBe(failure);
  });
});

it.each<[string, StateSealOptions]>([
  ["keys: expected at least one, got none", { keys: [] }],
  ["keys[1]: expected a Uint8Array of 32 bytes, got 16 bytes", { keys: [oldKey, new Uint8Array(16)] }],
  ["keys[0]: expected a Uint8Array of 32 bytes, got 33 bytes", { keys: [new Uint8Array(33)] }],
  ["keys[0]: expected a Uint8Array of 32 bytes, got string", { keys: ["x".repeat(32) as unknown as Uint8Array] }],
  ["ttlMs: expected milliseconds from 1 to 3155760000000, got 0", { ttlMs: 0 }],
  ["ttlMs: expected milliseconds from 1 to 3155760000000, got NaN", { ttlMs: Number.NaN }],
  ["ttlMs: expected milliseconds from 1 to 3155760000000, got Infinity", { ttlMs: Number.POSITIVE_INFINITY }],
  ["maxStateBytes: expected a whole number from 1, got 0", { maxStateBytes: 0 }],
  ["maxStateBytes: expected a whole number from 1, got 1.5", { maxStateBytes: 1.5 }],
])("is refused at construction: %s", (message, options) => {
  expect(() => new StateSeal(options)).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
});
