import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anything,
  array,
  boolean,
  distinguished,
  explain,
  integer,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  oneOrMany,
  optional,
  present,
  record,
  type Shape,
  scalar,
  string,
  stringOrInteger,
  tagged,
} from "./shape.js";

interface Pair {
  name: string;
  count?: number;
}

const pair = object<Pair>({ name: string, count: optional(number) });

function complaint(shape: Shape, value: unknown): string | undefined {
  const fault = shape(value);
  return fault && explain(fault, "params");
}

describe("a fault says where, what was expected and what came", () => {
  test.each<[string, Shape, unknown]>([
    ["params: expected string, got nothing", string, undefined],
    ["params: expected string, got null", string, null],
    ["params: expected string, got array", string, []],
    ["params: expected boolean, got number", boolean, 0],
    ['params: expected number, got "1"', number, "1"],
    ["params: expected number, got NaN", number, Number.NaN],
    ["params: expected number, got Infinity", number, Number.POSITIVE_INFINITY],
    ["params: expected integer, got 1.5", integer, 1.5],
    ["params: expected integer, got boolean", integer, true],
    ["params: expected string or integer, got object", stringOrInteger, {}],
    ["params: expected string or integer, got 1.5", stringOrInteger, 1.5],
    ["params: expected string, number or boolean, got null", scalar, null],
    ["params: expected object, got array", jsonObject, []],
    ["params: expected a value, got nothing", present, undefined],
    ['params: expected "user", got "system"', oneOf("user"), "system"],
    ['params: expected "a", "b" or "c", got 7', oneOf("a", "b", "c"), 7],
    ["params: expected string, got number", optional(string), 7],
    ["params: expected integer, got nothing", nullable(integer), undefined],
    ["params: expected array, got object", array(string), {}],
    ["params[1]: expected string, got number", array(string), ["a", 7]],
    ["params: expected object, got string", record(string), "a"],
    ["params.env: expected string, got number", record(string), { env: 7 }],
    ['params["odd key"]: expected string, got number', record(string), { "odd key": 7 }],
    ["params: expected object, got nothing", pair, undefined],
    ["params.name: expected string, got nothing", pair, {}],
    ["params.count: expected number, got null", pair, { name: "a", count: null }],
    ["params[0].name: expected string, got number", array(pair), [{ name: 7 }]],
    ["params: expected object, got number", oneOrMany(pair), 7],
    ["params[1].name: expected string, got nothing", oneOrMany(pair), [{ name: "a" }, {}]],
    ["params[0]: expected string, got number", oneOrMany(scalar, string), [7]],
  ])("%s", (expected, shape, value) => {
    expect(complaint(shape, value)).toBe(expected);
  });

  test("long keys and values are cut, and their quotes escaped", () => {
    const long = `"${"x".repeat(100_000)}`;
    expect(complaint(record(string), { [long]: 7 })?.length).toBeLessThan(150);
    expect(complaint(record(string), { ["y".repeat(65)]: 7 })).toContain('["yyy');
    expect(complaint(oneOf("a"), long)).toMatch(/^params: expected "a", got "\\"x{99}…"$/);
  });

  test("a value under a path is never shown but where its kind would not explain the fault", () => {
    expect(complaint(object<{ a: unknown }>({ a: jsonObject }), { a: "secret" })).not.toContain("secret");
  });
});

test.each<[string, Shape, unknown[]]>([
  ["anything", anything, [undefined, null, 7, []]],
  ["present", present, [null, 0, "", false]],
  ["string", string, ["", "a"]],
  ["boolean", boolean, [true, false]],
  ["number", number, [0, -1.5, Number.MAX_VALUE]],
  ["integer", integer, [0, -1, 2 ** 53]],
  ["stringOrInteger", stringOrInteger, ["", 0, -1]],
  ["scalar", scalar, ["", 0, false]],
  ["jsonObject", jsonObject, [{}, { a: 1 }, Object.create(null)]],
  ["oneOf", oneOf("a", "b"), ["a", "b"]],
  ["optional", optional(string), [undefined, "a"]],
  ["nullable", nullable(string), [null, "a"]],
  ["array", array(string), [[], ["a"]]],
  ["oneOrMany", oneOrMany(pair), [{ name: "a" }, [], [{ name: "a" }]]],
  ["record", record(string), [{}, { a: "b" }]],
  ["object", pair, [{ name: "a" }, { name: "a", count: undefined }, { name: "a", count: 1, extra: {} }]],
])("%s passes what it should", (_name, shape, values) => {
  expect(values.map(shape)).toEqual(values.map(() => undefined));
});

describe("an object chosen by a tag", () => {
  const variants = { a: object<{ x: unknown }>({ x: string }), b: object<{ y: unknown }>({ y: string }) };
  const strict = tagged("type", variants);
  const defaulted = tagged("type", variants, object<{ z: unknown }>({ z: string }));

  test("has the shape of its tag", () => {
    expect(strict({ type: "a", x: "1" })).toBeUndefined();
    expect(complaint(strict, { type: "b", x: "1" })).toBe("params.y: expected string, got nothing");
  });

  test("must have a known tag", () => {
    expect(complaint(strict, { type: "c" })).toBe('params.type: expected "a" or "b", got "c"');
    expect(complaint(strict, {})).toBe('params.type: expected "a" or "b", got nothing');
    expect(complaint(strict, [])).toBe("params: expected object, got array");
  });

  test.each(["constructor", "__proto__", "toString"])("does not take %s for a tag", (type) => {
    expect(complaint(strict, { type })).toContain("params.type: expected");
  });

  test("has the default shape only where the tag is absent", () => {
    expect(defaulted({ z: "1" })).toBeUndefined();
    expect(complaint(defaulted, {})).toBe("params.z: expected string, got nothing");
    expect(complaint(defaulted, { type: "c", z: "1" })).toContain("params.type: expected");
  });
});

test("an object told apart by its fields has the shape of the first one present", () => {
  const shape = distinguished({ text: object<{ text: unknown }>({ text: string }), blob: jsonObject });
  expect(shape({ text: "t" })).toBeUndefined();
  expect(shape({ blob: 7 })).toBeUndefined();
  expect(complaint(shape, { text: 7, blob: "b" })).toBe("params.text: expected string, got number");
  expect(complaint(shape, {})).toBe('params: expected object with "text" or "blob", got one without');
  expect(complaint(shape, null)).toBe("params: expected object, got null");
});

describe("names that every object inherits", () => {
  test("cannot be fields, so that nothing inherited satisfies one", () => {
    expect(() => object<{ toString: unknown }>({ toString: anything })).toThrow('a field named "toString"');
  });

  test("are keys like any other in a record", () => {
    const parsed: unknown = JSON.parse('{"__proto__": 7, "constructor": "c"}');
    expect(complaint(record(string), parsed)).toBe("params.__proto__: expected string, got number");
    expect(record(string)(JSON.parse('{"__proto__": "p"}'))).toBeUndefined();
  });

  test("an own __proto__ key brings no fields with it", () => {
    expect(complaint(pair, JSON.parse('{"__proto__": {"name": "a"}}'))).toBe(
      "params.name: expected string, got nothing",
    );
  });
});

test("each call gives a fault of its own", () => {
  const shape = array(array(string));
  expect(shape([[7]])?.path).toEqual([0, 0]);
  expect(shape([["a"], ["b", 7]])?.path).toEqual([1, 1]);
});

test("deep nesting cannot exhaust the stack", () => {
  let deep: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { arguments: deep };
  expect(object<{ arguments: unknown }>({ arguments: jsonObject })(deep)).toBeUndefined();
});

test("records and arrays name exactly the place that is wrong", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string()),
      fc.nat(),
      fc.dictionary(fc.string(), fc.string()),
      fc.string(),
      (list, at, named, key) => {
        const index = at % (list.length + 1);
        expect(array(string)(list.toSpliced(index, 0, 7 as never))?.path).toEqual([index]);
        const spoiled = Object.fromEntries([...Object.entries(named).filter(([name]) => name !== key), [key, 7]]);
        expect(record(string)(spoiled)?.path).toEqual([key]);
      },
    ),
  );
});
