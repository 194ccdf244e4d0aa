/** Inputs within the limits that the search for cost in `fuzz/` found: each is read in under 200 ms of CPU time. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, test } from "vitest";
import { samplingRequestComplaint } from "../protocol/answer-rules.js";
import type { CreateMessageParams } from "../protocol/sampling.js";
import { findToolHeaders } from "../protocol/tool-header-annotations.js";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import { jsonBytes } from "../runtime/json-size.js";
import { parseTemplate } from "../uri-template/uri-template.js";
import { encodeHeaderValue } from "./header-value.js";
import { parseJson } from "./json-text.js";
import { LineDecoder } from "./line-decoder.js";
import { SseDecoder } from "./sse-decoder.js";

const MAX_CPU_MS = 200;
const mebibyte = 1_048_576;

function times<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

function list(length: number, number: string): string {
  return `[${times(length, () => number).join()}]`;
}

function match(template: string, start: string, unit: string): () => unknown {
  const parsed = parseTemplate(template);
  const uri = start + unit.repeat((10 * mebibyte - start.length) / unit.length);
  return () => parsed.match(uri);
}

function nested(levels: number, leaf: object): object {
  let schema = leaf;
  for (let level = 0; level < levels; level += 1) schema = { properties: { a: schema } };
  return schema;
}

/** The engine hashes strings of this length by their length alone. */
function conversation(): CreateMessageParams {
  const ids = times(310, (index) => "a".repeat(16_400) + String(1000 + index));
  const uses = ids.map((id) => ({ type: "tool_use", id, name: "t", input: {} }));
  const results = ids.map((toolUseId) => ({ type: "tool_result", toolUseId, content: [] }));
  const messages = [
    { role: "assistant", content: uses },
    { role: "user", content: results },
  ];
  // As from the wire: strings that are equal are different strings in memory.
  return JSON.parse(JSON.stringify({ messages, maxTokens: 1 }));
}

describe("no more than 200 ms of CPU time", () => {
  test.each<[name: string, make: () => () => unknown]>([
    [
      "numbers of 760 digits between two doubles",
      () => {
        const text = `[${times(13_000, () => `2.4703282292062327208299${"1".repeat(740)}e-324`).join()}]`;
        return () => parseJson(text);
      },
    ],
    [
      "numbers of 35 digits between two doubles",
      () => {
        const text = `[${times(280_000, () => "1.0000000000000001110223024625156540").join()}]`;
        return () => parseJson(text);
      },
    ],
    [
      "numbers of three digits with an exponent between two doubles",
      () => {
        const text = list(140_000, "609e275");
        return () => expect(parseJson(text).ok).toBe(true);
      },
    ],
    [
      "numbers of 21 digits with an exponent between two doubles",
      () => {
        const text = list(110_000, "198394080706255490072e-329");
        return () => expect(parseJson(text).ok).toBe(true);
      },
    ],
    [
      "more numbers with an exponent, which are refused",
      () => {
        const text = list(500_000, "4541607523716714175e-323");
        return () => expect(parseJson(text).ok).toBe(false);
      },
    ],
    [
      "64 KiB of lines that are not UTF-8",
      () => {
        const chunk = new Uint8Array(65_536).map((_, index) => (index % 2 === 0 ? 0xff : 0x0a));
        return () => new LineDecoder(mebibyte).decode(chunk);
      },
    ],
    [
      "a header value of 4 MiB, which is refused",
      () => {
        const text = "\u4e00".repeat((4 * mebibyte) / 3);
        return () => expect(() => encodeHeaderValue(text)).toThrow("at most");
      },
    ],
    ["a URI of many list items", () => match("x://{a}", "x://", ",")],
    ["a URI of many path segments", () => match("x://h{/p*}", "x://h", "/")],
    ["a URI of many query values", () => match("x://h{?q*}", "x://h?", "q&")],
    ["a URI of many characters beyond the BMP", () => match("x://{a:9}", "x://", "😀")],
    [
      "many annotations far from the root",
      () => {
        const leaves = times(24_000, (index) => [`k${index}`, { type: "string", "x-mcp-header": `h${index}` }]);
        const schema = nested(250, { properties: Object.fromEntries(leaves) });
        return () => jsonBytes(findToolHeaders(schema));
      },
    ],
    [
      "tool uses with long ids",
      () => {
        const params = conversation();
        return () => expect(samplingRequestComplaint(params, "2026-07-28")).toBeUndefined();
      },
    ],
  ])("is taken by %s", { timeout: 60_000 }, (_name, make) => {
    expectCpuMsBelow(MAX_CPU_MS, make());
  });
});

describe("an event stream in chunks of one byte", () => {
  it("keeps a line whole, in little more memory than it has characters", () => {
    const held = new SseDecoder(mebibyte);
    const byte = Uint8Array.of(0x61);
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < mebibyte / 2; index += 1) held.decode(byte);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * mebibyte);
    expect(held.decode(Uint8Array.of(0x0a))).toEqual([]);

    const decoder = new SseDecoder(mebibyte);
    const text = times(3_000, (index) => String(index % 10)).join("");
    const events = [...`data: ${text}\n\n`].flatMap((byte) => decoder.decode(new TextEncoder().encode(byte)));
    expect(events).toEqual([{ type: "message", data: text }]);
  });
});
