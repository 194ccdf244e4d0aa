import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { StdioTap } from "./stdio-tap.js";

test("an entry whose line is still being written is read once the line is complete", async () => {
  await using tap = new StdioTap({ kind: "stdio", command: "server", args: [] });
  const file = fileOf(tap);
  appendFileSync(file, '{"from":"line","text":"started"}\n{"from":"client","te');

  expect(tap.entries()).toEqual([{ from: "line", text: "started" }]);

  appendFileSync(file, 'xt":"{}"}\n');

  expect(tap.entries()).toEqual([
    { from: "line", text: "started" },
    { from: "client", text: "{}" },
  ]);
});

/** The tapped command starts with the program of the tap and its file. */
function fileOf(tap: StdioTap): string {
  const { endpoint } = tap;
  if (endpoint.kind !== "stdio" || endpoint.args[1] === undefined) throw new Error("the tap spawns no program");
  return endpoint.args[1];
}
