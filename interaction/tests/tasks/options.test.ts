import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies("tasks:options", "and says what would be right", () => {
  const server = new McpServer({ name: "studio", version: "1.0.0" });
  const refused: readonly [unknown, string][] = [
    ["always", 'expected "optional", "required" or { mode: "optional", … }'],
    [{ mode: "optional", ttlMs: 0 }, "ttlMs"],
    [{ mode: "optional", pollIntervalMs: 1.5 }, "pollIntervalMs"],
    [{ mode: "optional", rerun: true, starts: "later" }, "leave out starts"],
  ];

  for (const [task, complaint] of refused) {
    expect(() => server.tool("render", { task: task as never }, () => "done")).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringMatching(/^tool "render": task: /),
      }),
    );
    expect(() => server.tool("render", { task: task as never }, () => "done")).toThrow(complaint);
  }
  expect(() => new McpServer({ name: "studio", version: "1.0.0", tasks: { maxTtlMs: 0 } })).toThrow("maxTtlMs");
});
