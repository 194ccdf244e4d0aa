import { describe, expect, it } from "vitest";
import { type RawResponse, ResponseReader } from "./response-reader.js";

const PLAIN = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a":"é"}';
// The end of the second chunk looks like the last one.
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nevent:\r\n6\r\na\r\n0\r\n\r\n0\r\n\r\n";

describe.each([
  ["with a length", PLAIN, '{"a":"é"}'],
  ["in chunks", CHUNKED, "event:a\r\n0\r\n"],
])("a response %s", (_, text, body) => {
  const bytes = Buffer.from(text);

  it("is read whole", () => {
    expect(shown(new ResponseReader().receive(bytes))).toEqual({ status: 200, body });
  });

  it("is read split at any byte", () => {
    for (let at = 1; at < bytes.length; at++) {
      const reader = new ResponseReader();
      expect(reader.receive(bytes.subarray(0, at)), `split at ${at}`).toBeUndefined();
      expect(shown(reader.receive(bytes.subarray(at))), `split at ${at}`).toEqual({ status: 200, body });
    }
  });

  it("is read byte by byte, and another after it", () => {
    const reader = new ResponseReader();
    for (let round = 0; round < 2; round++) {
      const answers = [...bytes].map((byte) => reader.receive(Buffer.of(byte)));
      expect(answers.slice(0, -1).every((answer) => answer === undefined)).toBe(true);
      expect(shown(answers.at(-1))).toEqual({ status: 200, body });
    }
  });

  it("is refused with more after it", () => {
    expect(() => new ResponseReader().receive(Buffer.from(`${text}HTTP/1.1 200 OK\r\n\r\n0\r\n\r\n`))).toThrow();
  });
});

describe("what is no response", () => {
  it.each([
    ["another protocol", "SSH-2.0\r\n\r\n", "expected a response"],
    ["no end that could be found", "HTTP/1.1 200 OK\r\n\r\n", "neither a length nor chunks"],
    [
      "a chunk without a size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n0\r\n\r\n",
      "size of a chunk",
    ],
  ])("is refused: %s", (_, text, complaint) => {
    expect(() => new ResponseReader().receive(Buffer.from(text))).toThrow(complaint);
  });
});

function shown(response: RawResponse | undefined): { status: number; body: string } | undefined {
  return response && { status: response.status, body: response.body.toString("utf8") };
}
