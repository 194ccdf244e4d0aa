import { expect, it } from "vitest";
import { StderrLines } from "./stderr-lines.js";

function collect(): { lines: string[]; stderr: StderrLines; write(text: string): void } {
  const lines: string[] = [];
  const stderr = new StderrLines((line) => lines.push(line));
  return { lines, stderr, write: (text) => stderr.write(new TextEncoder().encode(text)) };
}

it("hands lines on as they are completed, and the rest at the end", () => {
  const { lines, stderr, write } = collect();
  write("one\ntw");
  expect(lines).toEqual(["one"]);
  write("o\r\n\nthree");
  expect(lines).toEqual(["one", "two", ""]);
  stderr.end();
  stderr.end();
  expect(lines).toEqual(["one", "two", "", "three"]);
});

it("replaces what is no text, also at the end", () => {
  const { lines, stderr } = collect();
  stderr.write(Uint8Array.of(0x61, 0xff, 0x0a, 0xe6));
  stderr.end();
  expect(lines).toEqual(["a\uFFFD", "\uFFFD"]);
});

it("cuts a line that does not end into pieces", () => {
  const { lines, stderr, write } = collect();
  write("x".repeat(20_000));
  stderr.end();
  expect(lines.map((line) => line.length)).toEqual([8_192, 8_192, 3_616]);
});

it("remembers the last lines, cut short", () => {
  const { stderr, write } = collect();
  for (let line = 1; line <= 50; line++) write(`${line}\n`);
  write(`${"x".repeat(1_000)}\n`);
  expect(stderr.tail.slice(0, 9)).toEqual(["42", "43", "44", "45", "46", "47", "48", "49", "50"]);
  expect(stderr.tail[9]).toHaveLength(500);
});

it("keeps the line that names an error above a stack that is longer than what is remembered", () => {
  const { stderr, write } = collect();
  write("Listening\nTypeError: no key\n");
  for (let frame = 1; frame <= 9; frame++) write(`    at frame ${frame}\n`);
  expect(stderr.tail[0]).toBe("TypeError: no key");
  write("    at frame 10\n");
  expect(stderr.tail.slice(0, 3)).toEqual(["TypeError: no key", "…", "    at frame 1"]);
  write("Error [ERR_X]: another\n");
  expect(stderr.tail).toHaveLength(10);
});
