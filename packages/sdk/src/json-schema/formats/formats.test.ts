import { expect, test } from "vitest";
import { WorkBudget } from "../../runtime/work-budget.js";
import { FORMATS } from "./formats.js";

const samples: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ["2026-07-28", "2024-02-29", "2000-02-29", "0001-12-31", "2026-04-30"],
    bad: [
      "2026-02-29",
      "1900-02-29",
      "2026-00-10",
      "2026-13-01",
      "2026-01-00",
      "2026-04-31",
      "26-01-01",
      "2026-1-1",
      "x2026-01-01",
      "2026-01-01x",
      "２026-01-01",
    ],
  },
  time: {
    good: [
      "00:00:00Z",
      "23:59:59.999z",
      "12:00:00+05:30",
      "23:59:60Z",
      "01:29:60+01:30",
      "18:59:60-05:00",
      "00:29:60+00:30",
    ],
    bad: [
      "24:00:00Z",
      "00:60:00Z",
      "00:00:61Z",
      "22:59:60Z",
      "23:59:60+01:00",
      "12:00:00",
      "12:00:00+24:00",
      "12:00:00-00:60",
      "12:00:00.Z",
      "1:00:00Z",
      "x12:00:00Z",
      "12:00:00Zx",
    ],
  },
  "date-time": {
    good: ["2026-07-28T00:00:00Z", "2026-07-28t12:30:00.5+02:00", "2016-12-31T23:59:60Z"],
    bad: [
      "2026-07-28",
      "2026-07-28 00:00:00Z",
      "2026-02-30T00:00:00Z",
      "2026-07-28T25:00:00Z",
      "2026-07-28T00:00:00",
      "x2026-07-28T00:00:00Z",
    ],
  },
  duration: {
    good: ["P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1D", "P1Y", "PT0S", "P2M10D", "PT1M", "P1Y3M"],
    bad: ["P", "PT", "P1", "1D", "P1D2H", "P2D1Y", "P1W2D", "PT1H3S", "P1YT", "p1d", "P1.5D", "xP1D", "P1Dx"],
  },
  email: {
    good: [
      "a@b.co",
      "joe.bloggs+tag@example.com",
      '"joe bloggs"@example.com',
      '"a@b"@c.d',
      "a@[127.0.0.1]",
      "a@[IPv6:::1]",
      "a@localhost",
      `${"a".repeat(310)}@localhost`,
    ],
    bad: [
      "a",
      "@b.co",
      "a@",
      ".a@b.co",
      "a.@b.co",
      "a..b@c.co",
      'a"b@c.co',
      "a b@c.co",
      "a@-b.co",
      "a@b_c.co",
      "a@[300.0.0.1]",
      "a@[IPv6:1]",
      '"a@b.co',
      "a@b@c.co",
      `${"a".repeat(311)}@localhost`,
    ],
  },
  hostname: {
    good: ["a", "example.com", "a-b.c1", "1.2.3", `${"a".repeat(63)}.b`, `${"abc.".repeat(63)}a`],
    bad: ["", "a.", ".a", "a..b", "-a", "a-", "a_b", "é.com", "a".repeat(64), `${"abc.".repeat(63)}ab`],
  },
  ipv4: {
    good: ["0.0.0.0", "127.0.0.1", "255.255.255.255"],
    bad: ["256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "a.b.c.d", "1.2.3.4 ", "0x1.2.3.4"],
  },
  ipv6: {
    good: [
      "::",
      "::1",
      "1::",
      "1:2:3:4:5:6:7:8",
      "1::8",
      "2001:db8::ff00:42:8329",
      "::ffff:192.168.0.1",
      "1:2:3:4:5:6:1.2.3.4",
      "1:2:3:4:5:6:7::",
      "ABCD::ef01",
    ],
    bad: [
      "",
      "1",
      ":",
      ":::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      "12345::",
      "g::",
      "1:2:3:4:5:6:7:1.2.3.4",
      "1.2.3.4::",
      "::1.2.3.256",
      "1:2:3:4::5:6:7:8",
      "::1%eth0",
      `::${"0".repeat(50)}`,
    ],
  },
  uri: {
    good: [
      "https://example.com/a?b=c#d",
      "urn:isbn:123",
      "mailto:a@b.c",
      "http://u:p@[::1]:80/",
      "http://[v1.a:b]/",
      "a:",
      "file:///etc",
      "http://a.b?%20",
      "x:/a",
      "http://a:",
      "http://1.2.3.4",
    ],
    bad: [
      "",
      "//a.b",
      "/a",
      "a",
      "1a:b",
      "http://a b",
      "http://a/%zz",
      "http://[::1",
      "http://[v1.]/",
      "http://[1]/",
      "http://a:b",
      "http://é",
      "a:\\b",
      "http://a<b>",
      ":a",
      "http://u[@a",
      "a:{b}",
      "a:b#c#d",
    ],
  },
  "uri-reference": {
    good: ["", "/a", "a/b:c", "#f", "?q", "//a.b/c", "../x", "https://example.com"],
    bad: ["\\a", "1:b", "a b", "#a#b", "%", "/é", "//[/", "?^", "#`"],
  },
  "uri-template": {
    good: ["", "a{b}", "{+a,b*}/{c:3}{?d.e}", "{a%20b}", "a%20b", "a'b", "é"],
    bad: [
      "{",
      "}",
      "{}",
      "{a",
      "a}",
      "{a b}",
      "{a:0}",
      "{a:12345}",
      "{a,}",
      "{$a}",
      "a b",
      "a%zz",
      "<a>",
      "{{a}}",
      "{a*:1}",
    ],
  },
  uuid: {
    good: [
      "123e4567-e89b-42d3-a456-426614174000",
      "00000000-0000-0000-0000-000000000000",
      "ABCDEF00-0000-0000-0000-000000000000",
    ],
    bad: [
      "",
      "123e4567e89b42d3a456426614174000",
      "123e4567-e89b-42d3-a456-42661417400",
      "123e4567-e89b-42d3-a456-4266141740000",
      "g23e4567-e89b-42d3-a456-426614174000",
    ],
  },
  "json-pointer": { good: ["", "/", "/a/b~0~1", "/é"], bad: ["a", "/~", "/a~2", "#/a"] },
  "relative-json-pointer": { good: ["0", "1/a", "10#", "0#"], bad: ["", "/a", "01", "-1", "1a", "0##", "1#/a", "+1"] },
  regex: { good: ["", "^a+$", "(?<=a)b", "\\p{L}"], bad: ["(", "[", "a{2,1}", "\\a", "(?<a>.)(?<a>.)"] },
};

test("every format that is enforced has samples", () => {
  expect(Object.keys(samples).sort()).toEqual([...FORMATS.keys()].sort());
});

test.each(Object.entries(samples))("%s", (name, { good, bad }) => {
  const budget = new WorkBudget(Number.POSITIVE_INFINITY, () => new RangeError("spent"));
  const isFormat = FORMATS.get(name) ?? (() => undefined);
  for (const text of good) expect(isFormat(text, budget), text).toBe(true);
  for (const text of bad) expect(isFormat(text, budget), text).toBe(false);
});

test("a regular expression is paid for, and judged up to a length", () => {
  const isRegex = FORMATS.get("regex");
  const budgetOf = (steps: number) => new WorkBudget(steps, () => new RangeError("spent"));
  expect(isRegex?.("a".repeat(4096), budgetOf(8192))).toBe(true);
  expect(() => isRegex?.("a".repeat(4096), budgetOf(8191))).toThrow("spent");
  expect(() => isRegex?.("\\p{L}", budgetOf(809))).toThrow("spent");
  expect(() => isRegex?.("a".repeat(4097), budgetOf(1_000_000))).toThrow("up to 4096 characters");
});
