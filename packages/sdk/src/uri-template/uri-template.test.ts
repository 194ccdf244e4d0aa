import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import type { TemplateValues } from "./expand.js";
import { parseTemplate } from "./uri-template.js";

const values: TemplateValues = {
  var: "value",
  hello: "Hello World!",
  path: "/foo/bar",
  empty: "",
  half: "50%",
  base: "http://example.com/home/",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  x: 1024,
  y: "768",
  yes: true,
  none: [],
  nothing: {},
  undef: undefined,
};

describe("expand", () => {
  it.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{half}", "50%25"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{x,y}", "1024,768"],
    ["{yes}", "true"],
    ["{x,undef,y}", "1024,768"],
    ["?{x,empty}", "?1024,"],
    ["{var:3}", "val"],
    ["{var:30}", "value"],
    ["{list}", "red,green,blue"],
    ["{list*}", "red,green,blue"],
    ["{keys}", "semi,%3B,dot,.,comma,%2C"],
    ["{keys*}", "semi=%3B,dot=.,comma=%2C"],
    ["{+path}/here", "/foo/bar/here"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["{+path:6}/here", "/foo/b/here"],
    ["{+keys}", "semi,;,dot,.,comma,,"],
    ["X{#var}", "X#value"],
    ["{#path,x}/here", "#/foo/bar,1024/here"],
    ["{#undef}", ""],
    ["X{.var}", "X.value"],
    ["X{.list}", "X.red,green,blue"],
    ["X{.list*}", "X.red.green.blue"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/list*}", "/red/green/blue"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,empty}", ";x=1024;empty"],
    ["{;list*}", ";list=red;list=green;list=blue"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&list}", "&list=red,green,blue"],
    ["{none}{/nothing}{?undef}", ""],
    ["{/none*}{?nothing*}", ""],
    ["caf\u00e9/{var}", "caf%C3%A9/value"],
    ["100%25/{var}", "100%25/value"],
  ])("%s gives %s", (template, expanded) => {
    expect(parseTemplate(template).expand(values)).toBe(expanded);
  });

  it("leaves an empty member of an exploded named map as RFC 6570 does", () => {
    expect(parseTemplate("{?map*}").expand({ map: { a: "", b: "1" } })).toBe("?a=&b=1");
    expect(parseTemplate("{;map*}").expand({ map: { a: "" } })).toBe(";a");
  });

  it("reads own properties only and replaces lone surrogates", () => {
    expect(parseTemplate("{constructor}").expand({})).toBe("");
    expect(parseTemplate("{a}").expand({ a: "\ud800" })).toBe("%EF%BF%BD");
  });
});

describe("match", () => {
  it.each<[string, string, object | undefined]>([
    ["notes://{day}", "notes://monday", { day: "monday" }],
    ["notes://{day}", "notes://", { day: "" }],
    ["notes://{day}", "notes://a/b", undefined],
    ["notes://{day}", "other://monday", undefined],
    ["notes://{day}", "notes://a%2Fb", { day: "a/b" }],
    ["notes://{day}", "notes://%E0%A4%A", undefined],
    ["notes://{day}", "notes://a?b", undefined],
    ["file:///{+path}", "file:///a/b/c.txt", { path: "a/b/c.txt" }],
    ["{+path}.md", "a.md.md", { path: "a.md" }],
    ["{+path}.md", ".m", undefined],
    ["{a}/x/{b}", "1/x/2", { a: "1", b: "2" }],
    ["{a}/x/{b}", "1/2", undefined],
    ["{a}-{b}", "x-y-z", { a: "x", b: "y-z" }],
    ["{a,b}", "1,2", { a: "1", b: "2" }],
    ["{a,b}", "1", { a: "1" }],
    ["{a,b}", "1,2,3", { a: "1", b: "2,3" }],
    ["x{.a,b}", "x.1.2.3", { a: "1", b: "2.3" }],
    ["{+path}/{name}", "a/b/c", { path: "a/b", name: "c" }],
    ["x://{host}/{+path}/{name}.{ext}", "x://h/a/b/c.d.e", { host: "h", path: "a/b", name: "c.d", ext: "e" }],
    ["{+path}/{name}", "abc", undefined],
    ["{+path}/{name}/", "a/b", undefined],
    ["a{+path}a", "a", undefined],
    ["{+path}{.ext}", "a.b/c", { path: "a.b/c" }],
    ["{+path}{.ext}", "a/b.c", { path: "a/b", ext: "c" }],
    ["x{+path}/y", "z/y", undefined],
    ["{+path}", "%E0%A4%A", undefined],
    ["{a,b*}", "1,2,3", { a: "1", b: ["2", "3"] }],
    ["{a:3}", "abc", { a: "abc" }],
    ["{a:3}", "abcd", undefined],
    ["/x{/a,b}", "/x/1/2", { a: "1", b: "2" }],
    ["/x{/a*}", "/x/1/2/3", { a: ["1", "2", "3"] }],
    ["/x{/a*}", "/x/1/%E0%A4%A", undefined],
    ["/x{/a*}", "/x", {}],
    ["/x{/a}", "/x/1/2", undefined],
    ["x{.ext}", "x.tar.gz", { ext: "tar.gz" }],
    ["x{#frag}", "x#a/b?c", { frag: "a/b?c" }],
    ["{+path}{?q}", "a?q=9?q=1", { path: "a?q=9", q: "1" }],
    ["{+list*}", "a/b,c", { list: ["a/b", "c"] }],
    ["/s{?q,limit}", "/s?limit=3&q=a%20b", { q: "a b", limit: "3" }],
    ["/s{?q,limit}", "/s", {}],
    ["/s{?q}", "/s?q=1&q=2", undefined],
    ["/s{?q*}", "/s?q=1&q=2", { q: ["1", "2"] }],
    ["/s{?q}", "/s?other=1", undefined],
    ["/s{?q}", "/s?q=%E0%A4%A", undefined],
    ["/s{;flag}", "/s;flag", { flag: "" }],
    ["/{a}{/b}{?q}", "/1/2?q=3", { a: "1", b: "2", q: "3" }],
    ["/{a}{/b}{?q}", "/1?q=3", { a: "1", q: "3" }],
    ["/{+a}{?q}", "/1/2?q=3", { a: "1/2", q: "3" }],
    ["/{a}{?q}/end", "/1?q=3/end", { a: "1", q: "3" }],
    ["plain", "plain", {}],
    ["plain", "plainly", undefined],
  ])("%s against %s", (template, uri, expected) => {
    const matched = parseTemplate(template).match(uri);
    expect(matched && { ...matched }).toEqual(expected);
  });

  it("cannot be made to pollute a prototype", () => {
    const matched = parseTemplate("x://{__proto__}").match("x://evil");
    expect(matched && Object.entries(matched)).toEqual([["__proto__", "evil"]]);
    expect(({} as { evil?: unknown }).evil).toBeUndefined();
  });

  const text = fc.string({ unit: "grapheme", minLength: 1 });

  it.each([
    "x://{a}/y/{b}/{c}",
    "x://h{/a,b,c}",
    "x://h{;a,b,c}",
    "x://h{?a,b,c}",
    "x://{a}{/b}{?c}",
    "x://h?z=1{&a,b,c}",
  ])("is the inverse of expansion for %s", (template) => {
    const parsed = parseTemplate(template);
    fc.assert(
      fc.property(fc.record({ a: text, b: text, c: text }), (given) => {
        expect({ ...parsed.match(parsed.expand(given)) }).toEqual(given);
      }),
    );
  });

  it.each(["x://h{/a*}", "x://h{?a*}", "x://h{;a*}", "x://h/{a*}"])(
    "is the inverse of expansion for lists in %s",
    (template) => {
      const parsed = parseTemplate(template);
      fc.assert(
        fc.property(fc.array(text, { minLength: 1 }), (a) => {
          expect({ ...parsed.match(parsed.expand({ a })) }).toEqual({ a });
        }),
      );
    },
  );

  it("is the inverse of expansion for reserved text", () => {
    const parsed = parseTemplate("x://{+a}");
    const characters = fc.constantFrom("a", "/", "?", "#", "&", "=", "\u00e9", " ");
    fc.assert(
      fc.property(fc.string({ unit: characters }), (a) => {
        expect({ ...parsed.match(parsed.expand({ a })) }).toEqual({ a });
      }),
    );
  });

  it("never throws, whatever the URI", () => {
    const parsed = parseTemplate("x://{a}/{b}{/c*}{?d}{#e}");
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })), (codePoints) => {
        parsed.match(`x://${String.fromCodePoint(...codePoints)}`);
      }),
    );
  });

  it("takes time in proportion to the URI, however hostile", () => {
    const template = parseTemplate(`x://${Array.from({ length: 100 }, (_, index) => `{v${index}}aaaaaaab`).join("")}`);
    const uri = `x://${"a".repeat(1_000_000)}`;
    const almost = `x://${"aaaaaaab".repeat(125_000)}c`;
    expectCpuMsBelow(200, () => {
      expect(template.match(uri)).toBeUndefined();
      expect(template.match(almost)).toBeUndefined();
    });
  });
});

describe("parseTemplate", () => {
  it.each([
    ["{a", 'a "{" without its "}" at character 1'],
    ["x}y", 'a "}" without its "{" at character 2'],
    ["{}", '"" is no variable'],
    ["{a b}", '"a b" is no variable'],
    ["{=a}", '"=a" is no variable'],
    ["{a:0}", '"a:0" is no variable'],
    ["{a}{b}", "without anything between them"],
    ["{a}{+b}", "without anything between them"],
    ["{a}/{a}", '"a" stands twice'],
    ["{+a}/{+b}", "only one variable"],
    ["{+a,b}", "must have one variable"],
    ["{/a*,b}", "must be the last"],
    ["a".repeat(8_193), "longer than 8192"],
  ])("refuses %s", (template, complaint) => {
    expect(() => parseTemplate(template)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(complaint) }),
    );
  });

  it("has 8,192 characters at most", () => {
    expect(parseTemplate("a".repeat(8_192)).variables).toEqual([]);
  });

  it("matches URIs of up to 65,536 characters", () => {
    const template = parseTemplate("x://{a}");
    expect(template.match(`x://${"a".repeat(65_532)}`)?.a).toHaveLength(65_532);
    expect(template.match(`x://${"a".repeat(65_533)}`)).toBeUndefined();
  });

  it("lists its variables in order", () => {
    expect(parseTemplate("x://{a}/{+b}{/c}{?d*}").variables).toEqual(["a", "b", "c", "d"]);
  });

  it("tells the variables that stand in the path from those of a query or a fragment", () => {
    const template = parseTemplate("x://{a}/{+b}{/c*}{.d}{;e}{?f}{&g}{#h}");
    expect(template.variables.filter((name) => template.isInPath(name))).toEqual(["a", "b", "c", "d", "e"]);
  });
});
