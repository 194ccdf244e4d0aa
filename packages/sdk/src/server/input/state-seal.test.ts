import { createDecipheriv, createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { StateBinding } from "./state-seal.js";
import { StateSeal } from "./state-seal.js";

const binding: StateBinding = {
  principal: "ada",
  method: "tools/call",
  params: { name: "deploy", arguments: { a: 1 } },
};
const payload = { answers: { ok: true } };

const refused = {
  name: "ProtocolError",
  code: -32602,
  message: "requestState: not valid for this request; start over without it",
  data: undefined,
};

/** Expects the one refusal there is, and hands out the reason it keeps for the logs. */
async function reasonOf(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    (opened) => expect.fail(`opened: ${JSON.stringify(opened)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProtocolError);
  expect(error).toMatchObject(refused);
  return ((error as ProtocolError).cause as Error).message;
}

describe("seal and open", () => {
  it("gives any JSON back", async () => {
    const seal = new StateSeal();
    const value = fc.oneof(fc.jsonValue(), fc.constant(JSON.parse('{"__proto__":{"a":1},"\\ud800":"\\udfff"}')));
    await fc.assert(
      fc.asyncProperty(value, async (sealed) => {
        const opened = await seal.open(await seal.seal(sealed, binding), binding);
        expect(JSON.stringify(opened)).toBe(JSON.stringify(sealed));
      }),
    );
  });

  it("gives text that tells nothing and differs every time", async () => {
    const seal = new StateSeal();
    const one = await seal.seal({ secret: "swordfish" }, binding);
    const other = await seal.seal({ secret: "swordfish" }, binding);
    expect(one).toMatch(/^[\w-]+$/);
    expect(Buffer.from(one, "base64url").toString("latin1")).not.toContain("swordfish");
    expect(one).not.toBe(other);
  });

  it("has a form that other processes can rely on", async () => {
    const key = new Uint8Array(32).fill(7);
    const state = await new StateSeal({ keys: [key], ttlMs: 50, now: () => 1_000 }).seal(payload, binding);
    const sealed = Buffer.from(state, "base64url");
    const cipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 13));
    cipher.setAAD(Uint8Array.of(1)).setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(13, -16)), cipher.final()]);
    expect(sealed[0]).toBe(1);
    const canonical = '["ada","tools/call"]{"arguments":{"a":1,},"name":"deploy",}';
    expect(plain.subarray(0, 32)).toEqual(createHash("sha256").update(canonical).digest());
    expect(plain.readDoubleBE(32)).toBe(1_050);
    expect(plain.subarray(40).toString()).toBe(JSON.stringify(payload));
  });

  it("opens for the same params in another order of keys", async () => {
    const seal = new StateSeal();
    const state = await seal.seal(payload, binding);
    const params = { arguments: { a: 1 }, name: "deploy" };
    expect(await seal.open(state, { ...binding, params })).toEqual(payload);
  });

  it("opens again unless it is told to open once", async () => {
    const seal = new StateSeal({ singleUse: false });
    const state = await seal.seal(payload, binding);
    expect(await seal.open(state, binding)).toEqual(payload);
    expect(await seal.open(state, binding)).toEqual(payload);
  });

  it.each([
    ["nothing", undefined],
    ["a bigint", { a: 1n }],
  ])("does not seal %s", async (_what, value) => {
    await expect(new StateSeal().seal(value, binding)).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("what does not open", () => {
  it("is a state with any byte changed", async () => {
    const seal = new StateSeal();
    const bytes = Buffer.from(await seal.seal(payload, binding), "base64url");
    for (const index of bytes.keys()) {
      const changed = Uint8Array.from(bytes);
      changed[index] = (bytes[index] ?? 0) ^ (1 << (index % 8));
      await reasonOf(seal.open(Buffer.from(changed).toString("base64url"), binding));
    }
  });

  it("is a state with any character changed", async () => {
    const seal = new StateSeal();
    const state = await seal.seal(payload, binding);
    const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \u00e9"];
    const position = fc.nat({ max: state.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.constantFrom(...alphabet), async (index, character) => {
        fc.pre(state[index] !== character);
        await reasonOf(seal.open(state.slice(0, index) + character + state.slice(index + 1), binding));
      }),
    );
  });

  it("is a state cut short or made longer", async () => {
    const seal = new StateSeal();
    const state = await seal.seal(payload, binding);
    for (const length of [...state].keys()) await reasonOf(seal.open(state.slice(0, length), binding));
    for (const more of ["A", "AAAA", "=", "\n", state]) await reasonOf(seal.open(state + more, binding));
  });

  it("is any other text", async () => {
    const seal = new StateSeal();
    await fc.assert(fc.asyncProperty(fc.string(), async (text) => void (await reasonOf(seal.open(text, binding)))));
    expect(await reasonOf(seal.open("", binding))).toBe("The requestState does not open: it is malformed");
  });

  it("is a state of another form", async () => {
    const seal = new StateSeal();
    const bytes = Buffer.from(await seal.seal(payload, binding), "base64url");
    expect(bytes[0]).toBe(1);
    bytes[0] = 2;
    expect(await reasonOf(seal.open(bytes.toString("base64url"), binding))).toContain("it is malformed");
  });

  it("is a state presented with another binding", async () => {
    const seal = new StateSeal();
    const bindings = fc.record({
      principal: fc.option(fc.constantFrom("ada", "bob", ""), { nil: undefined }),
      method: fc.constantFrom("tools/call", "prompts/get", "resources/read"),
      params: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    await fc.assert(
      fc.asyncProperty(bindings, bindings, async (own, other) => {
        const state = await seal.seal(payload, own);
        const mixed: StateBinding[] = [];
        if (own.principal !== other.principal) mixed.push({ ...own, principal: other.principal });
        if (own.method !== other.method) mixed.push({ ...own, method: other.method });
        mixed.push({ ...own, params: { ...own.params, [`${Object.keys(own.params).join("")}+`]: other.params } });
        for (const wrong of mixed) {
          expect(await reasonOf(seal.open(state, wrong))).toContain("another principal, method or params");
        }
      }),
    );
  });

  it("is a state presented with params that are not JSON", async () => {
    const seal = new StateSeal();
    const state = await seal.seal(payload, binding);
    const reason = await reasonOf(seal.open(state, { ...binding, params: { a: 1n } }));
    expect(reason).toContain("the params are not JSON");
  });

  it("is a state of another process", async () => {
    const state = await new StateSeal().seal(payload, binding);
    expect(await reasonOf(new StateSeal().open(state, binding))).toContain("no key opens it");
  });

  it("is a state that has expired", async () => {
    let now = 1_000;
    const seal = new StateSeal({ ttlMs: 50, now: () => now });
    const state = await seal.seal(payload, binding);
    now = 1_049.5;
    expect(await seal.open(state, binding)).toEqual(payload);
    for (now of [1_050, 2_000, Number.NaN]) {
      expect(await reasonOf(seal.open(state, binding))).toContain("it has expired");
    }
  });

  it("is a state older than ten minutes by default", async () => {
    let now = 0;
    const seal = new StateSeal({ now: () => now });
    const state = await seal.seal(payload, binding);
    now = 599_999;
    expect(await seal.open(state, binding)).toEqual(payload);
    now = 600_000;
    await reasonOf(seal.open(state, binding));
  });
});

describe("size", () => {
  it("is 65,536 bytes of text at most", async () => {
    const seal = new StateSeal();
    // 1 + 12 bytes in front, 32 + 8 before the payload, 16 behind it; three bytes make four characters
    const largest = "a".repeat(65_536 * 0.75 - 69 - 2);
    const state = await seal.seal(largest, binding);
    expect(state).toHaveLength(65_536);
    expect(await seal.open(state, binding)).toBe(largest);
    await expect(seal.seal(`${largest}a`, binding)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^requestState: 65538 bytes once sealed, but maxStateBytes is 65536; keep less/),
    });
  });

  it("is checked before anything else is done with a state", async () => {
    const keys = [new Uint8Array(32).fill(1)];
    const state = await new StateSeal({ keys }).seal(payload, binding);
    const seal = new StateSeal({ keys, maxStateBytes: state.length - 1 });
    const decrypt = vi.spyOn(crypto.subtle, "decrypt");
    expect(await reasonOf(seal.open(state, binding))).toContain(`longer than ${state.length - 1} bytes`);
    expect(decrypt).not.toHaveBeenCalled();
    decrypt.mockRestore();
    expect(await new StateSeal({ keys, maxStateBytes: state.length }).open(state, binding)).toEqual(payload);
  });
});
