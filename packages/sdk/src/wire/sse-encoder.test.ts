import fc from "fast-check";
import { expect, it } from "vitest";
import { SseDecoder } from "./sse-decoder.js";
import { encodeEvent, SSE_KEEP_ALIVE } from "./sse-encoder.js";

const bytes = (text: string) => new TextEncoder().encode(text);

it("writes only the fields there are", () => {
  expect(encodeEvent({ data: '{"a":1}' })).toBe('data: {"a":1}\n\n');
  expect(encodeEvent({ data: "", id: "7", event: "message", retry: 500 })).toBe(
    "event: message\nid: 7\nretry: 500\ndata: \n\n",
  );
});

it("keeps every line of the data inside the event", () => {
  expect(encodeEvent({ data: "a\nb\r\nc\rid: 7" })).toBe("data: a\ndata: b\ndata: c\ndata: id: 7\n\n");
});

it.each(["a\nb", "a\rb", "a\0b"])("refuses an id or a type that would break out of its line: %j", (value) => {
  expect(() => encodeEvent({ data: "", id: value })).toThrow(/id must have no line breaks/);
  expect(() => encodeEvent({ data: "", event: value })).toThrow(/event must have no line breaks/);
});

it("is read back by the decoder, with keep-alives in between", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\r"))), (texts) => {
      const stream = texts.map((data) => encodeEvent({ data }) + SSE_KEEP_ALIVE).join("");
      const events = [...new SseDecoder(1_000_000).decode(bytes(stream))];
      expect(events.map(({ data }) => data)).toEqual(texts);
    }),
  );
});
