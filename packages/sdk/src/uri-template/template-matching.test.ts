import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { parseTemplate } from "./uri-template.js";

function match(template: string, uri: string): unknown {
  return parseTemplate(template).match(uri);
}

describe("match", () => {
  test.each([
    ["weather://{city}/now", "weather://Bern/now", { city: "Bern" }],
    ["weather://{city}/now", "weather://Bern/later", undefined],
    ["weather://{city}/now", "weather:", undefined],
    ["weather://{city}", "weather://", undefined],
    ["weather://{city}", "weather://a/b", undefined],
    ["weather://{city}", "weather://a?b", undefined],
    ["users://{mail}", "users://bob@example.com", { mail: "bob@example.com" }],
    ["{a}@{b}", "x@y", { a: "x", b: "y" }],
    ["{a,b}", "1,2", { a: "1", b: "2" }],
    ["{a,b}", "1", { a: "1" }],
    ["{a,b}", "1,2,3", undefined],
    ["{a,b*}", "1,2,3", { a: "1", b: ["2", "3"] }],
    ["{a}", "1,2", { a: "1,2" }],
    ["{id}.json", "a.json.json", { id: "a.json" }],
    ["{id}.json", "a.xml", undefined],
    ["{id}.json", "a/b.json", undefined],
    ["x{id}.json", "x.jso", undefined],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["file:///{+path}", "file:///", undefined],
    ["r/{+path}/raw/{name}", "r/a/raw/b/raw/c", { path: "a/raw/b", name: "c" }],
    ["r/{+path}/raw/{name}", "r/a/b", undefined],
    ["r/{+path}/raw/{name}", "r/a/raw/%", undefined],
    ["r/{+path}/raw/{name}", "r/a/raw/", undefined],
    ["r/{+path}/{name}/x", "r/x", undefined],
    ["r/{+path}/{name}/xy", "r/a/b/zz", undefined],
    ["{/a,b}", "/1/2", { a: "1", b: "2" }],
    ["{/a,b}", "/1", { a: "1" }],
    ["{/a}", "/1/2", undefined],
    ["x{/a*}", "x", {}],
    ["x{/a*}", "x/", { a: [""] }],
    ["x{/a*}", "x/1//2", { a: ["1", "", "2"] }],
    ["x{/a*}/end", "x/end", {}],
    ["x{/a*}/end", "x/1/2/end", { a: ["1", "2"] }],
    ["x{/a*}/end", "xy/end", undefined],
    ["x/{.ext}", "x/.tar.gz", { ext: "tar.gz" }],
    ["x{;a,b*}", "x;b=1;a;b=2", { a: "", b: ["1", "2"] }],
    ["x{;a}", "x;c=1", undefined],
    ["x{?q,p}", "x?p=2&q=1", { q: "1", p: "2" }],
    ["x{?q,p}", "x", {}],
    ["x{?q,p}", "x?q=a=b&p=/?", { q: "a=b", p: "/?" }],
    ["x{?q,p}", "x?", undefined],
    ["x{?q,p}", "x?q=1&q=2", undefined],
    ["x{?q,p}", "x?other=1", undefined],
    ["x{?q,p}", "x?q=%E2%82", undefined],
    ["x?v=1{&q}", "x?v=1&q=2", { q: "2" }],
    ["x{?q}{#part}", "x?q=1#a#b", { q: "1", part: "a#b" }],
    ["x{?q}&v=1", "x?q=1&v=1", { q: "1" }],
    ["x{#part}", "x#", { part: "" }],
    ["{a:3}", "abc", { a: "abc" }],
    ["{a:3}", "%E2%82%ACbc", { a: "€bc" }],
    ["{a:3}", "abcd", undefined],
    ["x{?a:3}", "x?a=abcd", undefined],
    ["é/{a}", "%C3%A9/x", { a: "x" }],
    ["{a}", "%", undefined],
    ["{a}", "%GG", undefined],
    ["{a}", "%ff", undefined],
    ["{/a*}", "/x/%", undefined],
    ["{a}", "%2F%3f", { a: "/?" }],
  ])("%s on %s", (template, uri, expected) => {
    const variables = match(template, uri);
    expect(variables === undefined ? undefined : { ...(variables as object) }).toEqual(expected);
  });

  test("puts any name into the result, and nothing else anywhere", () => {
    const variables = match("{__proto__}/{constructor}{?toString}", "a/b?toString=c") as Record<string, string>;
    expect(Object.getPrototypeOf(variables)).toBeNull();
    expect(Object.entries(variables)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
    ]);
    expect(({} as Record<string, unknown>).toString).toBe(Object.prototype.toString);
  });

  test("leaves longer URIs alone", () => {
    expect(match("{+a}", "a".repeat(65_536))).toBeDefined();
    expect(match("{+a}", "a".repeat(65_537))).toBeUndefined();
    expect(parseTemplate("{+a}", { maxUriLength: 2 }).match("abc")).toBeUndefined();
  });
});

describe("assertMatchable", () => {
  test.each([
    ["{a}{b}", "nothing tells where {a} ends and {b} begins"],
    ["{a}.{b}", "nothing tells where {a} ends and {b} begins"],
    ["{a}{.b}", "nothing tells where {a} ends and {.b} begins"],
    ["{+a}/{+b}", "nothing tells where {+a} ends and {+b} begins"],
    ["{+a}{?q}", "nothing tells where {+a} ends and {?q} begins"],
    ["{/a}{/b}", "nothing tells where {/a} ends and {/b} begins"],
    ["{?a}{&b}", "nothing tells where {?a} ends and {&b} begins"],
    ["{a,b}x,{c,d}", "nothing tells where {a,b} ends and {c,d} begins"],
    ["{a*}x,{c*}", "nothing tells where {a*} ends and {c*} begins"],
    ["{a}/{a}", 'the variable "a" occurs twice'],
    ["{+a,b}", "in {+a,b}, nothing tells one value from the next"],
    ["{#a*}", "in {#a*}, nothing tells one value from the next"],
    ["{.a,b}", "in {.a,b}, nothing tells one value from the next"],
    ["{.a*}", "in {.a*}, nothing tells one value from the next"],
    ["{/a*,b}", 'in {/a*,b}, nothing tells where the list "a" ends'],
  ])("refuses %s", (text, problem) => {
    const template = parseTemplate(text);
    expect(() => template.assertMatchable()).toThrow(SdkError);
    expect(() => template.assertMatchable()).toThrow(`URI template "${text}" cannot be matched: ${problem}`);
    expect(() => template.match("x")).toThrow(problem);
  });

  test("takes what one pass from each side can tell apart", () => {
    for (const text of ["{a}/{b}", "{+a}/{b}", "{a}{/b*}{?c,d}{#e}", "{a}.x/{b}", "{?a*,b}", "{;a*,b}"]) {
      expect(() => parseTemplate(text).assertMatchable()).not.toThrow();
    }
  });
});

describe("match is inverse to expand", () => {
  const text = fc.string({ unit: "binary", maxLength: 8 });
  const list = fc.array(text, { minLength: 1, maxLength: 3 });
  /** Reserved expansion keeps `%41` as it is, so such a value cannot come back. */
  const reservedText = text.filter((value) => !/%[0-9A-Fa-f]{2}/.test(value));

  const expression = fc
    .record({
      operator: fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&"),
      kinds: fc.array(fc.constantFrom("plain", "list", "prefix"), { minLength: 1, maxLength: 3 }),
      given: fc.nat({ max: 7 }),
    })
    .chain(({ operator, kinds, given }) =>
      fc.record({
        operator: fc.constant(operator),
        variables: fc.tuple(
          ...kinds.map((kind, index) => {
            const isNamed = [";", "?", "&"].includes(operator);
            // Positional variables can be left out from the end only.
            const isGiven = isNamed ? (given & (1 << index)) !== 0 : index <= given;
            const single = operator === "+" || operator === "#" ? reservedText : text;
            const whole = kind === "list" ? list : kind === "prefix" ? single.map((value) => [...value].slice(0, 4).join("")) : single;
            return fc.record({
              suffix: fc.constant({ plain: "", list: "*", prefix: ":4" }[kind]),
              value: isGiven ? whole : fc.constant(undefined),
            });
          }),
        ),
      }),
    );
  const literal = fc.string({ unit: fc.constantFrom("/", "a", ".", ":", "-", ",", "=", "&", "é", "%41", "?", "#"), maxLength: 3 });
  const template = fc.record({ prefix: literal, steps: fc.array(fc.record({ expression, literal }), { maxLength: 4 }) }).map(({ prefix, steps }) => {
    const variables: Record<string, string | string[] | undefined> = {};
    let count = 0;
    const body = steps.map(({ expression: { operator, variables: specs }, literal: after }) => {
      const names = specs.map(({ suffix, value }) => {
        const name = `v${count++}`;
        if (value !== undefined) variables[name] = value;
        return name + suffix;
      });
      return `{${operator}${names.join(",")}}${after}`;
    });
    return { text: prefix + body.join(""), variables };
  });

  test("for every matchable template and all values that leave no hole", () => {
    let checked = 0;
    fc.assert(
      fc.property(template, ({ text: source, variables }) => {
        const parsed = parseTemplate(source);
        try {
          parsed.assertMatchable();
        } catch {
          return;
        }
        const matched = parsed.match(parsed.expand(variables));
        const parts = source.match(/\{[^}]*\}/g) ?? [];
        const hasHole = parts.some((part) => /^\{[v+]/.test(part) && parseTemplate(part).expand(variables) === "");
        if (hasHole) return;
        checked += 1;
        expect({ ...matched }).toEqual(variables);
        expect(matched).toBeDefined();
      }),
      { numRuns: 3000 },
    );
    expect(checked).toBeGreaterThan(300);
  });

  test("never throws, whatever the URI", () => {
    const templates = ["x://{a}/{b}", "{+a}/{b}", "x{/a*}/y{?b,c*}", "x{;a,b*}{#c}", "{a,b*}"].map((source) => parseTemplate(source));
    fc.assert(
      fc.property(fc.constantFrom(...templates), fc.string({ unit: fc.constantFrom(..."x:/?#&;=,.%aF0é\ud800".split("")) }), (parsed, uri) => {
        const variables = parsed.match(uri);
        if (variables !== undefined) expect(Object.keys(variables).every((name) => parsed.variables.includes(name))).toBe(true);
      }),
    );
  });
});

describe("match is linear", () => {
  /** A string that counts how many of its characters are looked at. */
  class CountingText extends String {
    reads = 0;
    override charAt(index: number): string {
      this.reads += 1;
      return super.charAt(index);
    }
    override startsWith(text: string, from?: number): boolean {
      this.reads += text.length;
      return super.startsWith(text, from);
    }
    override slice(start: number, end: number): string {
      this.reads += end - start;
      return super.slice(start, end);
    }
  }

  function readsFor(template: string, uri: string): number {
    const counted = new CountingText(uri);
    parseTemplate(template, { maxUriLength: 1e7 }).match(counted as unknown as string);
    return counted.reads;
  }

  test.each([
    ["{a}/{b}", "a"],
    ["{+a}/x/{b}", "/x"],
    ["{+a}/x/{b}/y", "/x/y"],
    ["x{/a*}/end", "/end"],
    ["{a}aaaaab", "a"],
    ["{a,b*}", ","],
    ["x{?a*}{#b}", "&a="],
    ["{a}:{b}:{c}:{d}:{e}", ":"],
  ])("%s on repeated %j", (template, unit) => {
    const prefix = template.startsWith("x{?") ? "x?a=" : template.startsWith("x") ? "x" : "";
    const small = readsFor(template, prefix + unit.repeat(2000));
    const large = readsFor(template, prefix + unit.repeat(20_000));
    const length = unit.length * 20_000;
    expect(large).toBeLessThanOrEqual(4 * length + 100);
    expect(large).toBeLessThanOrEqual(11 * small + 100);
  });

  test("a million list items take no more than their share", () => {
    const template = parseTemplate("x{?a*}", { maxUriLength: 1e7 });
    expect(template.match(`x?${"a=&".repeat(1e6)}a=`)?.a).toHaveLength(1e6 + 1);
  });
});
