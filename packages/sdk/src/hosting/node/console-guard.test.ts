import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { bypassesStdout, guardConsole, type PrintingConsole } from "./console-guard.js";

function silentConsole(): PrintingConsole {
  const print = () => undefined;
  const names = [
    "log",
    "info",
    "debug",
    "dir",
    "dirxml",
    "table",
    "group",
    "groupCollapsed",
    "count",
    "timeEnd",
    "timeLog",
  ];
  return Object.fromEntries(names.map((name) => [name, print])) as unknown as PrintingConsole;
}

it("knows the runtimes whose console writes past process.stdout", () => {
  expect([{ node: "22.0.0" }, { node: "22.0.0", bun: "1.4.0" }, { deno: "2.0.0" }].map(bypassesStdout)).toEqual([
    false,
    true,
    true,
  ]);
});

it("sends what is printed through the stream, until it is taken away", () => {
  const stream = new PassThrough();
  const console = silentConsole();
  const own = { ...console };
  const unguard = guardConsole(console, stream);
  console.log("%s and %d", "one", 2);
  console.group("inside");
  console.table([{ a: 1 }]);
  const text = String(stream.read());
  expect(text).toMatch(/^one and 2\ninside\n.*a/s);

  const replaced = () => undefined;
  console.info = replaced;
  unguard();
  expect(console).toEqual({ ...own, info: replaced });
  console.log("unheard");
  expect(stream.read()).toBeNull();
});
