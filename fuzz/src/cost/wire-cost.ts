/** JSON text, lines, event streams, cursors and states: reading what a peer sends. */

import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { ValidationRun } from "../../../packages/sdk/src/json-schema/validator/validation-run.js";
import { canonicalJson } from "../../../packages/sdk/src/runtime/canonical-json.js";
import { isJsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { decodeBase64Url } from "../../../packages/sdk/src/server/input/state-seal.js";
import { decodeCursor } from "../../../packages/sdk/src/server/registry.js";
import { readMessageLine } from "../../../packages/sdk/src/transport/message-line.js";
import { classify } from "../../../packages/sdk/src/wire/classify.js";
import { parseJson } from "../../../packages/sdk/src/wire/json-text.js";
import { LineDecoder } from "../../../packages/sdk/src/wire/line-decoder.js";
import { SseDecoder } from "../../../packages/sdk/src/wire/sse-decoder.js";
import type { CostTarget } from "./cost-target.js";
import { type RepeatedText, repeated, textCost } from "./repeated-text.js";

const MEBIBYTE = 1024 * 1024;
/** The longest line and the longest event, by default. */
const MAX_BYTES = 10 * MEBIBYTE;
const MAX_BODY_BYTES = 4 * MEBIBYTE;
const MAX_STATE_BYTES = 65_536;
/** Bytes that Node reads from a pipe or a socket at a time. */
const READ_BYTES = 65_536;

const encoder = new TextEncoder();

const MANY = 1_000;

/** Forms of JSON with a cost of their own. */
const JSON_FORMS: Readonly<Record<string, readonly RepeatedText[]>> = {
  depth: [
    {
      before: "[",
      runs: [
        ["[", 510],
        ["]", 510],
        [",", 1],
      ],
      times: 4,
      after: "0]",
    },
    {
      before: "[",
      runs: [
        ['{"a":', 500],
        ["0", 1],
        ["}", 500],
        [",", 1],
      ],
      times: 4,
      after: "0]",
    },
  ],
  keys: [
    repeated('"k%i":0,', "{", '"z":0}', MANY),
    repeated('{"k%i":0},', "[", "0]", MANY),
    repeated('{"k%i":"v%i"},', "[", "0]", MANY),
    repeated('{"a%i":0,"b%i":0,"c%i":0},', "[", "0]", MANY),
  ],
  equalKeys: [repeated('"k":0,', "{", '"z":0}', MANY), repeated('"\\u006b":0,', "{", '"z":0}', MANY)],
  longKeys: [
    {
      before: "{",
      runs: [
        ['"', 1],
        ["a", 16_400],
        ['%i":0,', 1],
      ],
      times: 64,
      after: '"z":0}',
    },
  ],
  integerKeys: [
    repeated('"%i000":0,', "{", '"z":0}', MANY),
    repeated('"%i":0,', "{", '"z":0}', MANY),
    repeated('{"1023":0},', "[", "0]", MANY),
    repeated('{"%i":0},', "[", "0]", MANY),
  ],
  prototypeKeys: [repeated('{"__proto__":{}},', "[", "0]", MANY), repeated('"__proto__":0,', "{", '"z":0}', MANY)],
  escapes: [repeated("\\u4e00", '"', '"', MANY), repeated("\\\\", '"', '"', MANY), repeated('\\"', '"', '"', MANY)],
  strings: [
    repeated('"",', "[", "0]", MANY),
    repeated('"a%i",', "[", "0]", MANY),
    repeated('"\u4e00\\n",', "[", "0]", MANY),
  ],
  numbers: [
    repeated("1.0000000000000001110223024625156540,", "[", "0]", MANY),
    repeated("5.0000000000000000123e-320,", "[", "0]", MANY),
    {
      before: "[",
      runs: [
        ["2.4703282292062327208299", 1],
        ["1", 740],
        ["e-324,", 1],
      ],
      times: 16,
      after: "0]",
    },
    repeated("9007199254740993e22,", "[", "0]", MANY),
  ],
  unfinished: [repeated('"a', "[", "", MANY), repeated("\\", '"', "", MANY), repeated("[", "", "", MANY)],
  blanks: [repeated(" ", "[", "]", MANY), repeated("0 ,\n", "[", "0]", MANY)],
  batches: [
    repeated('{"jsonrpc":"2.0","id":%i,"method":"ping"},', "[", "{}]", MANY),
    repeated("{},", "[", "{}]", MANY),
  ],
};

const JSON_PIECES: readonly string[] = [
  ...["{", "}", "[", "]", ",", '"', ":", "\\", "0", "1", "a", "\u4e00", "\\u0000", " ", "\n", '"k%i":0,', '"a",'],
  ...["[],", "{},", '{"k%i":0},', '{"k%i":{"j%i":0}},', "1e9,", "-0.1,", "null,"],
];

const jsonCosts = Object.entries(JSON_FORMS).map(([form, seeds]) =>
  textCost({
    name: `cost-json-${form}`,
    seeds,
    pieces: JSON_PIECES,
    maxLength: MAX_BYTES,
    prepare: (text) => () => {
      const parsed = parseJson(text);
      if (parsed.ok) classify(parsed.value);
    },
  }),
);

/** Feeds all but the last bytes to a decoder; what one read brings is the work. */
function lastRead(bytes: Uint8Array, decode: (chunk: Uint8Array) => void, size: number): () => void {
  const start = Math.max(0, bytes.length - READ_BYTES);
  for (let from = 0; from < start; from += READ_BYTES) decode(bytes.subarray(from, Math.min(start, from + READ_BYTES)));
  return () => {
    for (let from = start; from < bytes.length; from += size) decode(bytes.subarray(from, from + size));
  };
}

/** A character for a byte, so that texts of a search may hold bytes that are no UTF-8. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

const CHUNK_SIZES = { whole: READ_BYTES, single: 1 };

const lineCosts = Object.entries(CHUNK_SIZES).map(([cut, size]) =>
  textCost({
    name: `cost-lines-${cut}`,
    seeds: [
      repeated("a", "", "\n", READ_BYTES),
      repeated("a\n", "", "", READ_BYTES / 2),
      repeated("\xff\n", "", "", READ_BYTES / 2),
      repeated("\n", "", "", READ_BYTES),
    ],
    pieces: ["\r", "\r\n", " \n", "\t", "\xe4\xb8\x80", "\xef\xbb\xbf", "{}\n", "\n\n", "\xff", "\0"],
    maxLength: MAX_BYTES,
    prepare(text) {
      const decoder = new LineDecoder(10 * 1024 * 1024);
      return lastRead(bytesOf(text), (chunk) => void decoder.decode(chunk), size);
    },
  }),
);

const eventCosts = Object.entries(CHUNK_SIZES).map(([cut, size]) =>
  textCost({
    name: `cost-sse-${cut}`,
    seeds: [
      repeated("a", "data: ", "\n\n", READ_BYTES),
      repeated("data: a\n", "", "\n", READ_BYTES / 8),
      repeated("data\n\n", "", "", READ_BYTES / 8),
      repeated("id: %i\nretry: 1\nevent: a\n", "", "\n", MANY),
      repeated("\r", "", "", READ_BYTES),
    ],
    pieces: ["\n", "\r\n", ":", "data", "data:", "id:", "retry:", "event:", "0", "\xe4\xb8\x80", "\0", " "],
    maxLength: MAX_BYTES,
    prepare(text) {
      const decoder = new SseDecoder(MAX_BYTES);
      return lastRead(bytesOf(text), (chunk) => void unlessRefused(() => decoder.decode(chunk)), size);
    },
  }),
);

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
  }
}

/** A line that is no message is answered or reported, so its error is made. */
const messageLines = textCost({
  name: "cost-message-lines",
  seeds: [
    repeated("a"),
    repeated('{"jsonrpc":"2.0","id":1,"method":"'),
    repeated("\\", '"'),
    repeated('{"a":1},', "[", "1]"),
  ],
  pieces: JSON_PIECES,
  maxLength: MAX_BYTES,
  prepare: (text) => () => void readMessageLine({ ok: true, text }, "report"),
});

const cursors = textCost({
  name: "cost-cursor",
  seeds: [repeated("A"), repeated("MTEx", btoa("tools:")), repeated("="), repeated("\u4e00")],
  pieces: ["MDAw", " ", "\n", "-", "/", "+", "%i", "LjE="],
  maxLength: MAX_BODY_BYTES,
  prepare: (text) => () => void decodeCursor("tools", text),
});

const states = textCost({
  name: "cost-state",
  seeds: [repeated("AQ"), repeated("-_"), repeated("="), repeated("AQ=")],
  pieces: [" ", "\n", "+", "/", "A", "\u4e00"],
  maxLength: MAX_STATE_BYTES,
  prepare: (text) => () => void decodeBase64Url(text),
});

/** The params that a state is bound to. */
const stateBindings = textCost({
  name: "cost-state-binding",
  seeds: Object.values(JSON_FORMS).flat(),
  pieces: JSON_PIECES,
  maxLength: MAX_BODY_BYTES,
  prepare(text) {
    const parsed = parseJson(`{"arguments":${text}}`);
    if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
    const params = parsed.value;
    return () => void encoder.encode(canonicalJson(params, new ValidationRun(Number.POSITIVE_INFINITY)));
  },
});

export const WIRE_COSTS: readonly CostTarget<RepeatedText>[] = [
  ...jsonCosts,
  ...lineCosts,
  ...eventCosts,
  messageLines,
  cursors,
  states,
  stateBindings,
];
