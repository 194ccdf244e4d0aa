import { expect, test } from "vitest";
import { EventStreamParser } from "./event-stream.js";

function dataOf(...pieces: readonly string[]): string[] {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece)).map(({ data }) => data);
}

test.each([
  ["line feeds", ["data: a\n\ndata: b\n\n"], ["a", "b"]],
  ["carriage returns", ["data: a\r\rdata: b\r\r", "\n"], ["a", "b"]],
  ["both", ["data: a\r\n\r\n"], ["a"]],
  ["CRLF cut in two", ["data: a\r", "\n\r", "\n"], ["a"]],
  ["events cut anywhere", ["da", "ta: a", "\n", "\n"], ["a"]],
  ["several data lines", ["data: a\ndata: b\n\n"], ["a\nb"]],
  ["comments and unknown fields", [": hello\nother: x\ndata: a\n\n"], ["a"]],
  ["a byte order mark", ["\uFEFFdata: a\n\n"], ["a"]],
  ["an event that never ends", ["data: a\n"], []],
])("%s", (_what, pieces, expected) => {
  expect(dataOf(...pieces)).toEqual(expected);
});

test("an event with an id and no data is an event", () => {
  const [event] = new EventStreamParser().push("id: 7\nretry: 100\ndata:\n\n");

  expect(event).toEqual({ event: "message", data: "", id: "7", retry: "100" });
});
