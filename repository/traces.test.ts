/** Holds the traces of ARCHITECTURE.md: every function that they name exists, and none is longer than a screen. */
import { describe, expect, test } from "vitest";
import { readSource, readTypeScript, type SourceFile } from "./source-files.js";
import { MAX_TRACE_LINES, tracesOf, traceViolations } from "./traces.js";

const ROOT = "packages/sdk/src/";

test("the traces of ARCHITECTURE.md name functions that exist", () => {
  const sources = readTypeScript(ROOT.slice(0, -1)).map(({ path, text }) => ({ path: path.slice(ROOT.length), text }));
  expect(sources.length).toBeGreaterThan(300);
  expect(traceViolations(tracesOf(readSource("ARCHITECTURE.md")), sources)).toEqual([]);
});

const page = (...lines: string[]): SourceFile => ({
  path: "page.md",
  text: ["# Page", "```text", ...lines, "```", "", "```sh", "npm test", "```"].join("\n"),
});

describe("reading a trace", () => {
  test("takes the file, the owner and the member of each line, and leaves notes out", () => {
    const [trace] = tracesOf(page("a/b.ts Server.handle", "  c.ts route  picks the handler", "d.ts Table.#add — once"));

    expect(trace?.map(({ called }) => called)).toEqual([
      { path: "a/b.ts", owner: "Server", member: "handle" },
      { path: "c.ts", owner: "route", member: undefined },
      { path: "d.ts", owner: "Table", member: "#add" },
    ]);
  });

  test("takes blocks with a step, and no others", () => {
    expect(tracesOf(page("bytes → wire", "npm test"))).toEqual([]);
    expect(tracesOf(page("bytes arrive", "a.ts run"))).toHaveLength(1);
  });
});

describe("a step of a trace", () => {
  const sources: SourceFile[] = [
    {
      path: "a.ts",
      text: `export class Server { #busy = 1; static of() {} constructor() {} get idle() { return 1; } handle() { this.inner(); } }
        export interface Codec { decode(): void; readonly name: string }
        export const modern: Codec = { decode() {}, name: "modern" };
        export function route() { function pick() {} return pick; }
        class Local { run() {} }`,
    },
  ];
  const violations = (line: string) => traceViolations(tracesOf(page("a.ts route", line)), sources);

  test.each([
    "Server",
    "Server.handle",
    "Server.of",
    "Server.constructor",
    "Server.idle",
    "Server.#busy",
    "Codec.decode",
    "Codec.name",
    "modern.decode",
    "route",
    "route.pick",
    "Local.run",
  ])("a.ts %s exists", (name) => {
    expect(violations(`a.ts ${name}`)).toEqual([]);
  });

  test.each([
    ["b.ts route", "b.ts does not exist"],
    ["a.ts gone", "a.ts declares no gone"],
    ["a.ts Server.inner", "Server in a.ts has no inner"],
    ["a.ts Server.busy", "Server in a.ts has no busy"],
    ["a.ts Codec.encode", "Codec in a.ts has no encode"],
    ["a.ts modern.encode", "modern in a.ts has no encode"],
    ["then it is routed", '"then it is routed" is not a file and a function'],
  ])("%s is wrong", (line, violation) => {
    expect(violations(line)).toEqual([violation]);
  });

  test("is one of at most twenty-two", () => {
    const steps = (count: number) => tracesOf(page(...Array.from({ length: count }, () => "a.ts route")));

    expect(traceViolations(steps(MAX_TRACE_LINES), sources)).toEqual([]);
    expect(traceViolations(steps(MAX_TRACE_LINES + 1), sources)).toEqual([
      'the trace from "a.ts route" has 23 lines, more than 22',
    ]);
  });
});
