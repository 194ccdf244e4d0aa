import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import { type DecodedLine, LineDecoder } from "./line-decoder.js";

const MAX_BYTES = 10_000_000;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Texts as they are, refusals as their codes. */
function outcome(lines: readonly DecodedLine[]): (string | number)[] {
  return lines.map((line) => (line.ok ? line.text : line.error.code));
}

function decodeAll(decoder: LineDecoder, chunks: readonly Uint8Array[]): (string | number)[] {
  return outcome([...chunks.flatMap((chunk) => decoder.decode(chunk)), ...decoder.end()]);
}

describe("LineDecoder", () => {
  it("ends lines with LF and CRLF, and keeps a CR that ends none", () => {
    expect(outcome(new LineDecoder(MAX_BYTES).decode(bytes("a\nb\r\nc\rd\n\re\n")))).toEqual(["a", "b", "c\rd", "\re"]);
  });

  it("skips blank lines", () => {
    expect(outcome(new LineDecoder(MAX_BYTES).decode(bytes("\n\r\n \t\na\n\n")))).toEqual(["a"]);
  });

  it("takes what is left at the end for a line, and nothing for none", () => {
    const decoder = new LineDecoder(MAX_BYTES);
    expect(outcome(decoder.decode(bytes("a\nb")))).toEqual(["a"]);
    expect(outcome(decoder.end())).toEqual(["b"]);
    expect(outcome(decoder.end())).toEqual([]);
  });

  it("joins characters that were cut apart, a CRLF among them", () => {
    const text = bytes('{"name":"日本🙂"}\r\nnext\r\n');
    const single = [...text].map((byte) => Uint8Array.of(byte));
    expect(decodeAll(new LineDecoder(MAX_BYTES), single)).toEqual(['{"name":"日本🙂"}', "next"]);
  });

  it("takes a U+FFFD that was sent for a character like any other", () => {
    const line = [0xef, 0xbf, 0xbd];
    const chunks = [[...line, 0xff, 0x0a], [...line, 0x0a], [0xff, 0xbf, 0xbd, 0x0a], line].map((chunk) =>
      Uint8Array.from(chunk),
    );
    expect(decodeAll(new LineDecoder(MAX_BYTES), chunks)).toEqual([-32700, "\uFFFD", -32700, "\uFFFD"]);
  });

  it("refuses a line that is not UTF-8 with -32700, and only that one", () => {
    const broken = Uint8Array.of(0x22, 0xc3, 0x28, 0x22, 0x0a);
    const decoder = new LineDecoder(MAX_BYTES);
    expect(decodeAll(decoder, [bytes("a\n"), broken, bytes("b\n")])).toEqual(["a", -32700, "b"]);
    // The end of the stream may cut a character in two.
    expect(decodeAll(decoder, [Uint8Array.of(0xe6, 0x97)])).toEqual([-32700]);
  });

  it("leaves a byte order mark where it is", () => {
    expect(outcome(new LineDecoder(MAX_BYTES).decode(bytes("\uFEFF{}\n")))).toEqual(["\uFEFF{}"]);
  });

  it("tells of a line over the limit once, discards it up to its end, and goes on", () => {
    const decoder = new LineDecoder(4);
    expect(outcome(decoder.decode(bytes("1234\n12345\nok\n")))).toEqual(["1234", -32600, "ok"]);
    const [refusal] = decoder.decode(bytes("12345"));
    expect(refusal).toMatchObject({ error: { code: -32600, message: expect.stringContaining("longer than 4 bytes") } });
    expect(decodeAll(decoder, [bytes("678"), bytes("90\n"), bytes("ok\n")])).toEqual(["ok"]);
    expect(decodeAll(decoder, [bytes("123"), bytes("45"), bytes("6")])).toEqual([-32600]);
    expect(outcome(decoder.decode(bytes("ok\n")))).toEqual(["ok"]);
  });

  it.each([[["123456789"]], [["123", "456", "789"]], [["1", `${"2".repeat(300)}`]]])(
    "keeps the start of a line over the limit: %j",
    (chunks) => {
      const decoder = new LineDecoder(4);
      const [refusal] = chunks.flatMap((chunk) => decoder.decode(bytes(chunk)));
      const start = chunks.join("").slice(0, chunks[0] === "123" ? 6 : 256);
      expect(refusal).toMatchObject({ tooLong: { maxBytes: 4, start } });
    },
  );

  it("gives back what a long line took, and takes the next one all the same", () => {
    const decoder = new LineDecoder(MAX_BYTES);
    const long = "x".repeat(100_000);
    const chunks = [bytes(long.slice(0, 70_000)), bytes(long.slice(70_000)), bytes("\ny"), bytes("z\n")];
    expect(decodeAll(decoder, chunks)).toEqual([long, "yz"]);
  });

  it("copies each byte a bounded number of times, however small the chunks", () => {
    const size = 2 ** 22;
    const chunk = bytes("x".repeat(16));
    // Joining anew for every chunk would copy 512 GiB.
    expectCpuMsBelow(1_000, () => {
      const decoder = new LineDecoder(MAX_BYTES);
      for (let sent = 0; sent < size; sent += chunk.length) decoder.decode(chunk);
      const [line] = outcome(decoder.end());
      expect(String(line)).toHaveLength(size);
    });
  });

  it("yields the same lines however the bytes are cut", () => {
    const line = fc.oneof(fc.string({ unit: "grapheme" }), fc.json());
    const ending = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, ending)),
        fc.array(fc.nat({ max: 40 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 40 }),
        (lines, sizes, maxLineBytes) => {
          const text = bytes(lines.map(([content, end]) => content + end).join(""));
          const chunks: Uint8Array[] = [];
          for (let start = 0, index = 0; start < text.length; index++) {
            // Empty chunks are possible, but not for ever.
            const size = (sizes[index % sizes.length] ?? 0) + (index % 2);
            chunks.push(text.subarray(start, start + size));
            start += size;
          }
          expect(decodeAll(new LineDecoder(maxLineBytes), chunks)).toEqual(
            decodeAll(new LineDecoder(maxLineBytes), [text]),
          );
        },
      ),
    );
  });
});
