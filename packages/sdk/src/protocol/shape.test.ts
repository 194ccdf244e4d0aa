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
  stringOrNumber,
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
    ["params: expected number, got \"1\"", number, "1"],
    ["params: expected number, got NaN", number, Number.NaN],
    ["params: expected number, got Infinity", number, Number.POSITIVE_INFINITY],
    ["params: expected integer, got 1.5", integer, 1.5],
    ["params: expected integer, got boolean", integer, true],
    ["params: expected string or number, got object", stringOrNumber, {}],
    ["params: expected string, number or boolean, got null", scalar, null],
    ["params: expected object, got array", jsonObject, []],
    ["params: expected a value, got nothing", present, undefined],
    ['params: expected "user", got "system"', oneOf("user"), "system"],
    ['params: expected "a", "b" or "c", got number', oneOf("a", "b", "c"), 7],
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
    expect(complaint(shape, value)).toBe(expected === undefined ? undefined : expected.replace("got number", gotFor(expected, value)));
  });
});

/** `oneOf` shows numbers as they are. */
function gotFor(expected: string, value: unknown): string {
  return expected.includes('"c"') ? `got ${value}` : "got number";
}
