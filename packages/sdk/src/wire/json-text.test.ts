import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ParsedJson, parseJson, serializeJson } from "./json-text.js";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const codeOf = (parsed: ParsedJson) => (parsed.ok ? undefined : parsed.error.code);

describe("parseJson", () => {
  it.each(["", "{", "nul", "{'a':1}", '{"a":1,}', "NaN", "[1] 2", '"\u0001"'])(
    "calls %j unparsable: -32700",
    (text) => {
      const parsed = parseJson(text);
      expect(codeOf(parsed)).toBe(-32700);
      expect(parsed).toMatchObject({ error: { message: /not valid JSON/, cause: expect.any(SyntaxError) } });
    },
  );

  it("calls text with a leading byte order mark unparsable, and says so", () => {
    expect(parseJson('\uFEFF{"a":1}')).toMatchObject({ error: { code: -32700, message: /byte order mark/ } });
  });

  it("refuses what is over a limit with -32600, JSON or not, before it is parsed", () => {
    expect(parseJson(nested(512)).ok).toBe(true);
    expect(codeOf(parseJson(nested(513)))).toBe(-32600);
    expect(codeOf(parseJson("[".repeat(100_000)))).toBe(-32600);
    expect(codeOf(parseJson(nested(4), { maxJsonDepth: 3 }))).toBe(-32600);
    expect(codeOf(parseJson("[[],[]]", { maxJsonNodes: 2 }))).toBe(-32600);
    expect(codeOf(parseJson(`["${"[".repeat(2_000)}`))).toBe(-32700);
  });

  it("keeps a __proto__ key as an own property and pollutes nothing", () => {
    const parsed = parseJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(parsed.ok && (parsed.value as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("agrees with JSON.parse within the limit", () => {
    const text = fc.oneof(
      fc.json(),
      fc.json().map((json) => `${json}`.slice(1)),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (json) => {
        const parsed = parseJson(json, { maxJsonDepth: 64 });
        let expected: unknown;
        try {
          expected = { ok: true, value: JSON.parse(json) };
        } catch {
          expected = expect.objectContaining({ ok: false });
        }
        expect(parsed).toEqual(expected);
      }),
    );
  });
});

describe("serializeJson", () => {
  it("writes what parseJson reads", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = serializeJson(value);
        expect(text).toBe(JSON.stringify(value));
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it("refuses what JSON cannot express, and keeps the cause", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    for (const value of [cycle, { big: 1n }, deep]) {
      expect(() => serializeJson(value)).toThrow(
        expect.objectContaining({ code: "invalid-argument", cause: expect.any(Error) }),
      );
    }
    expect(() => serializeJson(undefined)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => serializeJson(() => 1)).toThrow(/function/);
  });
});
