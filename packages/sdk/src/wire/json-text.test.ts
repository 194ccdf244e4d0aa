import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_MAX_DEPTH, type ParsedJson, parseJson, serializeJson } from "./json-text.js";

const nested = (depth: number, inside = "") => `${"[".repeat(depth)}${inside}${"]".repeat(depth)}`;
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

  it("takes nesting up to the limit and refuses one level more with -32600", () => {
    expect(DEFAULT_MAX_DEPTH).toBe(512);
    expect(parseJson(nested(512)).ok).toBe(true);
    expect(codeOf(parseJson(nested(513)))).toBe(-32600);
    expect(codeOf(parseJson(`{"a":${nested(512)}}`))).toBe(-32600);
    expect(parseJson(nested(3), { maxDepth: 3 }).ok).toBe(true);
    expect(codeOf(parseJson(nested(4), { maxDepth: 3 }))).toBe(-32600);
  });

  it("survives 100,000 levels, closed or not, of arrays or objects", () => {
    expect(codeOf(parseJson(nested(100_000)))).toBe(-32600);
    expect(codeOf(parseJson("[".repeat(100_000)))).toBe(-32600);
    expect(codeOf(parseJson(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`))).toBe(-32600);
  });

  it("does not count brackets inside strings, nor those that were closed", () => {
    const inString = JSON.stringify({ text: '[{"\\'.repeat(5_000) });
    expect(parseJson(inString).ok).toBe(true);
    expect(parseJson(`[${"[[]],{},".repeat(5_000)}"\\\\"]`).ok).toBe(true);
    expect(codeOf(parseJson(`["\\\\",${nested(1_000)}]`))).toBe(-32600);
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
        const parsed = parseJson(json, { maxDepth: 64 });
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

  it("refuses exactly what is nested deeper than the limit", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('"', "\\", "[", "]}", '\\"[', 1, null),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('"', "[", "\\", "}"), tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.nat(5), (value, maxDepth) => {
        expect(parseJson(JSON.stringify(value), { maxDepth }).ok).toBe(depthOf(value) <= maxDepth);
      }),
      { numRuns: 1_000 },
    );
  });

  it("does not scan text that is too short to be nested too deep", () => {
    const scan = vi.spyOn(String.prototype, "charCodeAt");
    parseJson(nested(512));
    const short = scan.mock.calls.length;
    parseJson(nested(512, " "));
    const long = scan.mock.calls.length;
    scan.mockRestore();
    expect(short).toBe(0);
    expect(long).toBeGreaterThan(0);
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
