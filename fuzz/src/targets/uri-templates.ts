/** URI templates: never a surprise with any text, and matching undoes expansion wherever nothing is ambiguous. */
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { isJsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { parseTemplate, type UriTemplate } from "../../../packages/sdk/src/uri-template/uri-template.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { demand, demandEqual, field, type Target } from "../target.js";

type Values = Record<string, string | string[]>;

/** No text of a literal, no name and no value has a letter in common with the others, so that only one reading is left. */
const LITERAL: readonly string[] = [..."ghijkl"];
const NAMES: readonly string[] = ["a", "b", "c", "d", "e", "f"];
const VALUE: readonly string[] = [..."XYZ", " ", "é", "世", "😀", '"', "<", "\0"];
/** Encoded everywhere but in `{+a}` and `{#a}`. */
const VALUE_RESERVED: readonly string[] = [...VALUE, ..."/?#[]@!$&'()*+,;=:%"];

const PAIRS: readonly (readonly [template: string, uri: string])[] = [
  ["notes://{day}", "notes://monday"],
  ["file:///{+path}", "file:///a/b/c.txt"],
  ["x://{host}/{+path}/{name}.{ext}", "x://h/a/b/c.d.e"],
  ["x://h{/a,b}{?q,limit*}{#frag}", "x://h/1/2?q=3&limit=4&limit=5#z"],
  ["x://{a}{;b,c}{.d}{&e:3}", "x://1;b=2;c=3.d&e=%F0%9F%98%80"],
  ["x://{__proto__}/{constructor}{?toString*}", "x://evil/1?toString=2"],
];
const TEMPLATES = PAIRS.map(([template]) => template);
const URIS = PAIRS.map(([, uri]) => uri);

export const uriTemplates: Target = {
  name: "uri-templates",
  share: 100,
  maxMs: 100,
  outcomes: ["undone", "matched", "no match", "refused"],
  generate(random) {
    if (random.oneIn(2)) return randomPair(random);
    const [template, uri] = random.pick(PAIRS);
    return {
      template: random.oneIn(2) ? template : mutateText(random, template, AWKWARD, TEMPLATES),
      uri: random.oneIn(4) ? uri : mutateText(random, uri, AWKWARD, URIS).toWellFormed(),
      values: "",
    };
  },
  check(input) {
    let template: UriTemplate;
    try {
      template = parseTemplate(field(input, "template"));
    } catch (error) {
      const isKnown = error instanceof SdkError && error.code === "invalid-argument";
      demand(isKnown, "refuses templates as invalid arguments", () => String(error));
      return "refused";
    }
    if (field(input, "values") === "") return checkMatch(template, field(input, "uri"));
    const values = readValues(field(input, "values"), template);
    if (values === undefined) return "no pair";
    const uri = template.expand(values);
    demandEqual(ordered(template.match(uri)), ordered(values), "matching undoes expansion");
    return "undone";
  },
};

function checkMatch(template: UriTemplate, uri: string): string {
  const matched = template.match(uri);
  if (matched === undefined) return "no match";
  demand(Object.getPrototypeOf(matched) === null, "yields an object without a prototype", () => uri);
  const known = Object.keys(matched).every((name) => template.variables.includes(name));
  demand(known, "yields the template's own variables", () => JSON.stringify(matched));
  const size = Object.values(matched).flat().join("").length;
  demand(size <= uri.length, "yields no more than there is", () => JSON.stringify(matched));
  // Only {+a} and {#a} may cross what gives a URI its structure.
  if (!/\{[+#]/.test(template.text) && !uri.includes("%")) {
    const crosses = Object.values(matched)
      .flat()
      .some((value) => /[/?#]/.test(value));
    demand(!crosses, "keeps values within their segment", () => JSON.stringify(matched));
  }
  // A value with a percent sign in a reserved expansion stands for itself or for what it encodes: nobody can tell.
  if (!uri.includes("%") && !JSON.stringify(matched).includes("%")) requireStable(template, matched);
  return "matched";
}

/** What was matched leads to a URI that is matched the same way. */
function requireStable(template: UriTemplate, matched: Values): void {
  const again = template.match(template.expand(matched));
  if (again !== undefined) demandEqual(ordered(again), ordered(matched), "matches its own expansion in the same way");
}

/** A template that has one reading only, and values for it. */
function randomPair(random: Random): { template: string; uri: string; values: string } {
  const names = [...NAMES];
  const values: Values = {};
  let template = "x://";
  const operators = ["", "", "+", "#", ".", "/", ";", "?"];
  let hasCrossed = false;
  let isAfterLiteral = true;
  for (let count = random.between(1, 4); count > 0 && names.length > 0; count--) {
    if (random.oneIn(2)) {
      template += random.text(LITERAL, 1, 3);
      isAfterLiteral = true;
    }
    const operator = random.pick(operators);
    const stands = operator === "" || operator === "+";
    if (stands && (!isAfterLiteral || (operator === "+" && hasCrossed))) continue;
    // Two of a kind in a row leave open which of them was left out.
    if (!stands) operators.splice(operators.indexOf(operator), 1);
    hasCrossed ||= operator === "+";
    isAfterLiteral = false;
    // What follows a {+a} is read from the right and leaves it all it can, so it must not have several values.
    const isSingle = hasCrossed && [".", "/", ";"].includes(operator);
    template += `{${operator}${variables(random, operator, names, values, isSingle)}}`;
  }
  return { template, uri: "", values: JSON.stringify(values) };
}

function variables(random: Random, operator: string, names: string[], values: Values, isSingle: boolean): string {
  const isReserved = operator === "+" || operator === "#";
  const alphabet = isReserved ? VALUE : VALUE_RESERVED;
  const isNamed = operator === ";" || operator === "?";
  const count = isReserved || isSingle ? 1 : random.between(1, Math.min(3, names.length));
  const taken = names.splice(0, count);
  return taken
    .map((name, place) => {
      const isExploded = !isSingle && (isNamed || place === taken.length - 1) && random.oneIn(3);
      values[name] = isExploded ? random.list(1, 3, () => random.text(alphabet, 1, 4)) : random.text(alphabet, 1, 4);
      return isExploded ? `${name}*` : name;
    })
    .join();
}

/** Undefined for values that are not those of the template's variables, as in an input that was made smaller. */
function readValues(text: string, template: UriTemplate): Values | undefined {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(values) || Object.keys(values).sort().join() !== [...template.variables].sort().join())
    return undefined;
  const isSound = Object.entries(values).every(([name, value]) => {
    const isExploded = new RegExp(`\\b${name}\\*`).test(template.text);
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return (
      isExploded === Array.isArray(value) &&
      items.length > 0 &&
      items.every((item) => typeof item === "string" && item !== "")
    );
  });
  return isSound ? (values as Values) : undefined;
}

function ordered(values: object | undefined): unknown[] {
  return Object.entries(values ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
}
