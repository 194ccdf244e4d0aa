import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DecodedEvent, SseDecoder } from "./sse-decoder.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function decodeAll(text: string | Uint8Array, size = Number.POSITIVE_INFINITY, decoder = new SseDecoder(1_000_000)) {
  const input = typeof text === "string" ? bytes(text) : text;
  const events: DecodedEvent[] = [];
  for (let start = 0; start < input.length; start += size) {
    events.push(...decoder.decode(input.subarray(start, start + size)));
  }
  return events;
}

describe("SseDecoder", () => {
  it.each([
    ["a message", "data: one\n\n", [{ type: "message", data: "one" }]],
    ["CRLF", "event: x\r\ndata: one\r\n\r\n", [{ type: "x", data: "one" }]],
    [
      "CR",
      "data: one\r\rdata: two\r\r",
      [
        { type: "message", data: "one" },
        { type: "message", data: "two" },
      ],
    ],
    [
      "line ends of all kinds in a row",
      "data: a\r\n\ndata: b\r\r\n",
      [
        { type: "message", data: "a" },
        { type: "message", data: "b" },
      ],
    ],
    ["several lines", "data: a\ndata\ndata:b\n\n", [{ type: "message", data: "a\n\nb" }]],
    ["one space taken off", "data:  a\n\n", [{ type: "message", data: " a" }]],
    ["a colon in the value", 'data: {"a":1}\n\n', [{ type: "message", data: '{"a":1}' }]],
    ["comments and unknown fields", ": hello\nfoo: bar\n:\ndata: a\n\n", [{ type: "message", data: "a" }]],
    ["a BOM at the start only", "\uFEFFdata: \uFEFFa\n\n", [{ type: "message", data: "\uFEFFa" }]],
    ["empty data", "data:\n\n", [{ type: "message", data: "" }]],
    ["no data, no event", "event: x\nid: 1\n\ndata: a\n\n", [{ type: "message", data: "a" }]],
    ["an event that is not finished", "data: a\n", []],
    ["characters of several bytes", "data: 世界 🌍\n\n", [{ type: "message", data: "世界 🌍" }]],
  ])("reads %s, however it is cut", (_what, text, events) => {
    for (const size of [1, 2, 3, 5, 1000]) expect(decodeAll(text, size)).toEqual(events);
  });

  it("keeps the last finished event's id until another takes its place", () => {
    const decoder = new SseDecoder(100);
    const feed = (text: string) => {
      decoder.decode(bytes(text));
      return decoder.lastEventId;
    };
    expect(feed("data: a\n\n")).toBeUndefined();
    expect(feed("id: 1\ndata:\n")).toBeUndefined();
    expect(feed("\n")).toBe("1");
    expect(feed("data: b\n\n")).toBe("1");
    expect(feed("id: 2\n\n")).toBe("2");
    expect(feed("id: 3\0\n\n")).toBe("2");
    expect(feed("id: 4\n")).toBe("2");
    expect(feed("id\n\n")).toBeUndefined();
  });

  it("keeps no id over 1,024 characters, nor the one before it", () => {
    const decoder = new SseDecoder(10_000);
    decoder.decode(bytes(`id: ${"x".repeat(1_024)}\n\n`));
    expect(decoder.lastEventId).toHaveLength(1_024);
    decoder.decode(bytes(`id: ${"x".repeat(1_025)}\n\n`));
    expect(decoder.lastEventId).toBeUndefined();
  });

  it("starts with the id of an earlier connection", () => {
    const decoder = new SseDecoder(100, "a");
    decoder.decode(bytes("data: 1\n\n"));
    expect(decoder.lastEventId).toBe("a");
    decoder.decode(bytes("id\ndata: 2\n\n"));
    expect(decoder.lastEventId).toBeUndefined();
  });

  it("reads retry if it is a number, at once", () => {
    const decoder = new SseDecoder(100);
    expect(decoder.retryMs).toBeUndefined();
    decoder.decode(bytes("retry: 1500\n"));
    expect(decoder.retryMs).toBe(1500);
    decoder.decode(bytes("retry: -1\nretry: 2s\nretry\nretry: 1.5\n\n"));
    expect(decoder.retryMs).toBe(1500);
  });

  it.each([
    ["one long line", `data: ${"x".repeat(100)}`],
    ["a long line that ends", `data: ${"x".repeat(100)}\n`],
    ["a long comment", `:${"x".repeat(100)}`],
    ["many lines", "data: xxxx\n".repeat(30)],
  ])("refuses %s over the limit, also in small pieces", (_what, text) => {
    for (const size of [1, 1000]) {
      expect(() => decodeAll(text, size, new SseDecoder(100))).toThrow(expect.objectContaining({ code: "too-large" }));
    }
  });

  it("counts the bytes of characters that arrive byte by byte", () => {
    const text = `data: ${"世".repeat(32)}`;
    expect(() => decodeAll(text, 1, new SseDecoder(101))).toThrow(expect.objectContaining({ code: "too-large" }));
    expect(decodeAll(text, 1, new SseDecoder(102))).toEqual([]);
  });

  it("has no limit on how many events there are, nor on comments in between", () => {
    expect(decodeAll(`: still here\ndata: ${"x".repeat(80)}\n\n`.repeat(50), 7, new SseDecoder(100))).toHaveLength(50);
  });

  it("counts the bytes of an event and not its characters", () => {
    expect(decodeAll(`data: ${"é".repeat(47)}\n\n`, 7, new SseDecoder(100))).toHaveLength(1);
    expect(() => decodeAll(`data: ${"é".repeat(48)}\n\n`, 7, new SseDecoder(100))).toThrow(
      "longer than 100 bytes; raise maxMessageBytes",
    );
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(() => decodeAll(Uint8Array.of(0x64, 0xff))).toThrow(expect.objectContaining({ code: "invalid-message" }));
  });

  it("agrees with another parser on any text, cut anywhere", () => {
    const line = fc.oneof(
      fc.constantFrom("", "data", "data:", "data: x", "data:  y", "event: e", "id: 7", ": c", "id", "event", "foo: 1"),
      fc.string({ unit: "binary" }).map((text) => `data: ${text.replace(/[\r\n\0\uFEFF]/g, "")}`),
    );
    const text = fc
      .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")))
      .map((lines) => `${lines.map((parts) => parts.join("")).join("")}\n\n`);
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (input, size) => {
        const expected: unknown[] = [];
        createParser({
          onEvent: ({ event, data }) => expected.push({ type: event || "message", data }),
        }).feed(input);
        expect(decodeAll(input, size)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
