import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import { bindingDigest, type StateBinding } from "./state-seal.js";

const base: StateBinding = { principal: "ada", method: "tools/call", params: { name: "deploy", arguments: { a: 1 } } };

async function digestOf(change: Partial<StateBinding>): Promise<string> {
  return Buffer.from(await bindingDigest({ ...base, ...change })).toString("hex");
}

function parsed(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** The same JSON with every object's keys in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const);
  return Object.fromEntries(entries.reverse());
}

it("does not depend on the order of keys, at any depth", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(await digestOf({ params: { a: value, b: 1 } })).toBe(
        await digestOf({ params: { b: 1, a: reversed(value) } }),
      );
    }),
  );
});

it("is equal for equal params alone", async () => {
  const params = fc.dictionary(fc.constantFrom("a", "b", "__proto__", "1"), fc.jsonValue({ maxDepth: 1 }));
  await fc.assert(
    fc.asyncProperty(params, params, async (one, other) => {
      const isEqual = isDeepStrictEqual(parsed(JSON.stringify(one)), parsed(JSON.stringify(other)));
      expect((await digestOf({ params: one })) === (await digestOf({ params: other }))).toBe(isEqual);
    }),
  );
});

it.each<[string, Partial<StateBinding>, Partial<StateBinding>]>([
  ["the order of an array", { params: { a: [1, 2] } }, { params: { a: [2, 1] } }],
  ["a number from its text", { params: { a: 1 } }, { params: { a: "1" } }],
  ["null from nothing", { params: { a: null } }, { params: {} }],
  ["an object from an array", { params: { a: {} } }, { params: { a: [] } }],
  ["one principal from another", { principal: "ada" }, { principal: "bob" }],
  ["nobody from the empty name", { principal: undefined }, { principal: "" }],
  ["nobody from somebody called null", { principal: undefined }, { principal: "null" }],
  ["one method from another", { method: "tools/call" }, { method: "prompts/get" }],
  ["where the principal ends", { principal: "a", method: "bc" }, { principal: "ab", method: "c" }],
  ["a lone surrogate from another", { principal: "\ud800" }, { principal: "\ud801" }],
])("tells %s", async (_what, one, other) => {
  expect(await digestOf(one)).not.toBe(await digestOf(other));
});

it("takes __proto__ for a key like any other", async () => {
  const withKey = parsed('{"a":{"__proto__":{"b":1},"c":2}}');
  expect(await digestOf({ params: withKey })).toBe(
    await digestOf({ params: parsed('{"a":{"c":2,"__proto__":{"b":1}}}') }),
  );
  expect(await digestOf({ params: withKey })).not.toBe(await digestOf({ params: parsed('{"a":{"c":2}}') }));
  expect(await digestOf({ params: withKey })).not.toBe(
    await digestOf({ params: parsed('{"a":{"__proto__":{"b":2},"c":2}}') }),
  );
});

it("reaches as deep as a message may be nested", async () => {
  const nested = (leaf: string) => parsed('{"a":['.repeat(256) + leaf + "]}".repeat(256));
  expect(await digestOf({ params: nested("1") })).not.toBe(await digestOf({ params: nested("2") }));
});

it("takes a property that is undefined for one that is not there, as JSON does", async () => {
  expect(await digestOf({ params: { a: 1, b: undefined } })).toBe(await digestOf({ params: { a: 1 } }));
});

it("rejects params that are not JSON", async () => {
  await expect(digestOf({ params: { a: 1n } })).rejects.toMatchObject({ code: "invalid-argument" });
});
