import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import * as plain from "./cold-start/json-schema-workload.js";
import { coldContenders } from "./cold-start.js";
import { jobAt } from "./workload.js";

it.each(["modern", "legacy"].flatMap((era) => ["Zod", "JSON Schema"].map((schemas) => [era, schemas])))(
  "compares ours with one floor and with peers: %s, %s",
  (era, schemas) => {
    const roles = coldContenders()
      .filter((contender) => contender.era === era && contender.schemas === schemas)
      .map(({ role }) => role);
    expect(roles.filter((role) => role !== "peer").sort()).toEqual(["floor", "ours"]);
    expect(roles).toContain("peer");
  },
);

it("does the same work without Zod", () => {
  for (let index = 0; index < 64; index++) {
    const { order, expected } = jobAt(index);
    expect(plain.quote(order)).toEqual(expected);
  }
});

it("loads neither HTTP nor cryptography of Node for a server over stdio", () => {
  const script =
    'await Promise.all([import("parley-mcp/node"), import("parley-mcp/server")]);' +
    "console.log(process.moduleLoadList.filter((name) => /^NativeModule (http|crypto|perf_hooks)$/.test(name)).join());";
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe("");
});
