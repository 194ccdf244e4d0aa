/** JSON text within limits: what is let through is JSON and small enough, what is refused is not. */
import { ProtocolError } from "../../../packages/sdk/src/errors/protocol-error.js";
import { excessOfText, excessOfValue, type JsonLimits } from "../../../packages/sdk/src/wire/json-limits.js";
import { parseJson, serializeJson } from "../../../packages/sdk/src/wire/json-text.js";
import { MESSAGE_TEXTS, MESSAGES } from "../messages.js";
import { mutateJson } from "../mutate-json.js";
import { mutateText } from "../mutate-text.js";
import { demand, demandEqual, type FuzzInput, field, type Target } from "../target.js";

const TOKENS: readonly string[] = [
  ...["{", "}", "[", "]", '"', "\\", '\\"', ",", ":", "[[[[", "{}", "[]", '""', '"a":', "null", "true", "-0", "1e999"],
  ...['"__proto__":{"a":1},', "\\u0000", "\\ud800", "\ufeff", " ", "\n", "0", "-", ".", "1,1,1,1"],
];

export const jsonText: Target = {
  name: "json-text",
  share: 150,
  maxMs: 100,
  outcomes: ["parsed", "-32700", "-32600"],
  generate(random) {
    const text = random.oneIn(2)
      ? mutateText(random, random.pick(MESSAGE_TEXTS), TOKENS, MESSAGE_TEXTS)
      : JSON.stringify(mutateJson(random, random.pick(MESSAGES)));
    return { text, depth: String(random.between(0, 12)), nodes: String(random.between(0, 40)) };
  },
  check(input) {
    const text = field(input, "text");
    const limits = limitsOf(input);
    const parsed = parseJson(text, limits);
    const truth = parseFreely(text);
    if (!parsed.ok) {
      const { error } = parsed;
      demand(error instanceof ProtocolError, "refuses with a protocol error", () => String(error));
      demand(error.code === -32700 || error.code === -32600, "refuses with -32700 or -32600", () => String(error.code));
      demand(error.message.length < 200, "keeps its complaint short", () => error.message);
      if (error.code === -32700) demand(truth === undefined, "takes all JSON", () => text);
      else if (truth !== undefined) requireExcess(text, truth.value, limits);
      return String(error.code);
    }
    demand(truth !== undefined, "takes nothing but JSON", () => text);
    demandEqual(parsed.value, truth?.value, "reads what is written");
    demand(
      excessOfValue(parsed.value, limits) === undefined,
      "lets no value through that is over the limit",
      () => text,
    );
    const written = serializeJson(parsed.value);
    demandEqual(parseFreely(written)?.value, parsed.value, "writes what it reads");
    requireAgreement(parsed.value);
    return "parsed";
  },
};

function limitsOf(input: FuzzInput): JsonLimits {
  return { maxJsonDepth: Number(field(input, "depth")), maxJsonNodes: Number(field(input, "nodes")) };
}

function parseFreely(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A number with a weight of its own, which its value does not show: 16 characters, or an exponent. */
const HEAVY_NUMBER = /\d[\d.]{15}|\d[eE]/;

/** The value may hold less than its text, where keys stand twice; written out again it holds the same. */
function requireExcess(text: string, value: unknown, limits: JsonLimits): void {
  const hasTwins = JSON.stringify(value).length < text.replace(/\s/g, "").length;
  const isOver = excessOfValue(value, limits) !== undefined;
  demand(isOver || hasTwins || HEAVY_NUMBER.test(text), "refuses only what is over the limit", () => text);
}

/** Text and value are counted alike, whatever the limit, as long as numbers are short. */
function requireAgreement(value: unknown): void {
  const written = JSON.stringify(value, (_key, member: unknown) => (typeof member === "number" ? 0 : member));
  for (const limit of [0, 1, 2, 3, 5, 9]) {
    for (const limits of [{ maxJsonDepth: limit }, { maxJsonNodes: limit }]) {
      const ofText = excessOfText(written, limits) === undefined;
      const ofValue = excessOfValue(value, limits) === undefined;
      demand(ofText === ofValue, "counts text and value alike", () => `${JSON.stringify(limits)} ${written}`);
    }
  }
}
