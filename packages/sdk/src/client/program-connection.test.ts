import { expect, it } from "vitest";
import { exitsOnProbe, forgetExit, rememberExit } from "./program-connection.js";

it("tells programs apart by command, arguments and working directory", () => {
  rememberExit({ command: "a", args: ["1"], cwd: "/x" });
  expect(exitsOnProbe({ command: "a", args: ["1"], cwd: "/x", env: { KEY: "value" } })).toBe(true);
  expect(exitsOnProbe({ command: "a", args: ["2"], cwd: "/x" })).toBe(false);
  expect(exitsOnProbe({ command: "a", args: ["1"] })).toBe(false);
  forgetExit({ command: "a", args: ["1"], cwd: "/x" });
  expect(exitsOnProbe({ command: "a", args: ["1"], cwd: "/x" })).toBe(false);
});

it("remembers 256 programs, and no more characters of commands than it may", () => {
  for (let count = 0; count <= 256; count += 1) rememberExit({ command: `program ${count}` });
  expect(exitsOnProbe({ command: "program 0" })).toBe(false);
  expect(exitsOnProbe({ command: "program 1" })).toBe(true);
  rememberExit({ command: "x".repeat(262_144) });
  expect(exitsOnProbe({ command: "x".repeat(262_144) })).toBe(false);
});
