import { expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { parseTemplate } from "./uri-template.js";

const variables = {
  var: "value",
  hello: "Hello World!",
  half: "50%",
  empty: "",
  path: "/foo/bar",
  x: 1024,
  y: "768",
  yes: true,
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  none: [],
  nothing: {},
  undef: undefined,
  null: null,
  euro: "€uro",
};

test.each([
  ["{var}", "value"],
  ["{hello}", "Hello%20World%21"],
  ["{half}", "50%25"],
  ["O{empty}X", "OX"],
  ["O{undef}{null}{none}{nothing}X", "OX"],
  ["{x,y}", "1024,768"],
  ["{yes}", "true"],
  ["{x,hello,y}", "1024,Hello%20World%21,768"],
  ["{var:3}{euro:1}", "val%E2%82%AC"],
  ["{var:30}", "value"],
  ["{list}", "red,green,blue"],
  ["{list*}", "red,green,blue"],
  ["{keys}", "semi,%3B,dot,.,comma,%2C"],
  ["{keys*}", "semi=%3B,dot=.,comma=%2C"],
  ["{+hello}", "Hello%20World!"],
  ["{+path}/here", "/foo/bar/here"],
  ["here?ref={+path}", "here?ref=/foo/bar"],
  ["{+path:6}/here", "/foo/b/here"],
  ["{+keys*}", "semi=;,dot=.,comma=,"],
  ["{#path,x}", "#/foo/bar,1024"],
  ["{#hello}", "#Hello%20World!"],
  ["X{.var}", "X.value"],
  ["X{.x,y}", "X.1024.768"],
  ["X{.list*}", "X.red.green.blue"],
  ["X{.empty}", "X."],
  ["X{.none}", "X"],
  ["{/var,x}/here", "/value/1024/here"],
  ["{/list}", "/red,green,blue"],
  ["{/list*}", "/red/green/blue"],
  ["{/var:1,var}", "/v/value"],
  ["{;x,y,empty}", ";x=1024;y=768;empty"],
  ["{;list*}", ";list=red;list=green;list=blue"],
  ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"],
  ["{?x,y,empty}", "?x=1024&y=768&empty="],
  ["{?x,undef}", "?x=1024"],
  ["{?list}", "?list=red,green,blue"],
  ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
  ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
  ["{&list*}", "&list=red&list=green&list=blue"],
  ["é%41[x]/{var}", "%C3%A9%41[x]/value"],
])("expands %s to %s", (template, expected) => {
  expect(parseTemplate(template).expand(variables)).toBe(expected);
});

test("keeps percent-encoded triplets and reserved characters in reserved expansion only", () => {
  const variables = { a: "%41[]!*'()%" };
  expect(parseTemplate("{+a}").expand(variables)).toBe("%41[]!*'()%25");
  expect(parseTemplate("{a}").expand(variables)).toBe("%2541%5B%5D%21%2A%27%28%29%25");
});

test("takes no value from a prototype", () => {
  expect(parseTemplate("{toString}{__proto__}{constructor}").expand({})).toBe("");
});

test("refuses text that is no Unicode and the prefix of a list", () => {
  expect(() => parseTemplate("{a}").expand({ a: "\ud800" })).toThrow(SdkError);
  expect(() => parseTemplate("{a}").expand({ a: "\ud800" })).toThrow("no valid Unicode");
  expect(() => parseTemplate("{a:3}").expand({ a: ["x"] })).toThrow('variable "a": a list or map has no prefix');
});
