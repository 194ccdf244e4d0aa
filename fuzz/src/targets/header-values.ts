/** Any text as a header's value and back, and any value that somebody else sends. */
import { isUtf8 } from "node:buffer";
import { validateHeaderValue } from "node:http";
import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from "../../../packages/sdk/src/wire/header-value.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const VALUES: readonly string[] = [
  ...["", "us-west1", "Hello, World", "notes://monday", "=?base64??=", "=?base64?SGVsbG8=?=", "=?base64?4pyT?="],
  ...["=?base64?=", "=?BASE64?SGVsbG8=?=", "=?base64?SGVsbG9=?=", "=?base64?//8=?=", "=?base64?77u/YQ==?=", " padded "],
];

const TOKENS: readonly string[] = [...AWKWARD, "=?base64?", "?=", "=?", "SGVs", "==", "=", "/w==", "7"];

export const headerValues: Target = {
  name: "header-values",
  share: 120,
  maxMs: 50,
  outcomes: ["plain", "encoded", "refused"],
  generate(random) {
    return {
      text: random.oneIn(4) ? random.text(AWKWARD, 0, 6) : mutateText(random, random.pick(VALUES), TOKENS, VALUES),
    };
  },
  check(input) {
    const text = field(input, "text");
    const value = encodeHeaderValue(text);
    validateHeaderValue("mcp-name", value);
    demand(
      new Headers({ "mcp-name": value }).get("mcp-name") === value,
      "writes what HTTP leaves as it is",
      () => value,
    );
    demandEqual(decodeHeaderValue(value), text.toWellFormed(), "reads what it has written");
    demand(value.length <= 4 * text.length + 16, "does not grow beyond Base64", () => value);
    const received = receive(text);
    demandEqual(received, expectedValue(text), "reads values by the rules");
    if (received === undefined) return "refused";
    return value === text ? "plain" : "encoded";
  },
};

function receive(value: string): string | undefined {
  try {
    return decodeHeaderValue(value);
  } catch (error) {
    if (error instanceof HeaderValueError) return undefined;
    throw error;
  }
}

/** The rules once more, by way of Node's own decoder. */
function expectedValue(value: string): string | undefined {
  if (/[^\t\x20-\x7e]/.test(value)) return undefined;
  const text = value.replace(/^[ \t]+|[ \t]+$/g, "");
  const encoded = /^=\?base64\?(.*)\?=$/.exec(text)?.[1];
  if (encoded === undefined) return text;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && isUtf8(bytes) ? bytes.toString() : undefined;
}
