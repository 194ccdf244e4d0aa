import { describe, expect, it } from "vitest";
import { JsonSeal } from "./json-seal.js";

const [OLD, NEW] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

describe("JsonSeal", () => {
  it("opens what it sealed, for its owner alone", async () => {
    const seal = new JsonSeal();
    const sealed = await seal.seal({ token: "secret" }, "ada");
    expect(sealed).not.toContain("secret");
    expect(await seal.open(sealed, "ada")).toEqual({ token: "secret" });
    expect(await seal.open(sealed, "eve")).toBeUndefined();
  });

  it("seals with the first key, and opens with all", async () => {
    const sealed = await new JsonSeal([OLD]).seal({ token: 1 }, "ada");
    const rotated = new JsonSeal([NEW, OLD]);
    expect(await rotated.open(sealed, "ada")).toEqual({ token: 1 });
    expect(await new JsonSeal([OLD]).open(await rotated.seal({ token: 2 }, "ada"), "ada")).toBeUndefined();
    expect(await new JsonSeal([NEW]).open(await rotated.seal({ token: 2 }, "ada"), "ada")).toEqual({ token: 2 });
  });

  it("opens nothing that was changed, is no sealed text, or names another algorithm", async () => {
    const seal = new JsonSeal([OLD]);
    const sealed = await seal.seal({ token: 1 }, "ada");
    const parts = sealed.split(".");
    const changed = [...parts.slice(0, 3), `${parts[3]?.startsWith("A") ? "B" : "A"}${parts[3]?.slice(1)}`, parts[4]];
    expect(await seal.open(changed.join("."), "ada")).toBeUndefined();
    expect(await seal.open("undefined", "ada")).toBeUndefined();
    const header = btoa('{"alg":"none","enc":"A256GCM"}').replaceAll("=", "");
    expect(await seal.open([header, ...parts.slice(1)].join("."), "ada")).toBeUndefined();
  });

  it("copies its keys", async () => {
    const key = new Uint8Array(32).fill(3);
    const seal = new JsonSeal([key]);
    const sealed = await seal.seal({ token: 1 }, "ada");
    key.fill(0);
    expect(await seal.open(sealed, "ada")).toEqual({ token: 1 });
  });

  it("refuses keys that are none", () => {
    expect(() => new JsonSeal([])).toThrow("keys: expected at least one, got none");
    expect(() => new JsonSeal([OLD, new Uint8Array(16)])).toThrow(
      "keys[1]: expected a Uint8Array of 32 bytes, got 16 bytes",
    );
    expect(() => new JsonSeal(["secret" as never])).toThrow("keys[0]: expected a Uint8Array of 32 bytes, got string");
  });
});
