import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, receiveTasks, TaskEngine } from "parley-mcp/tasks";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies("tasks:options", "and says what would be right", () => {
  const server = new McpServer({ name: "studio", version: "1.0.0" });
  const refused: readonly [unknown, string][] = [
    ["always", 'expected "optional", "required" or { mode: "optional", … }'],
    [{ mode: "optional", ttlMs: 0 }, "ttlMs"],
    [{ mode: "optional", pollIntervalMs: 1.5 }, "pollIntervalMs"],
    [{ mode: "optional", rerun: true, starts: "later" }, "leave out starts"],
    [{ mode: "optional", ttl: 5 }, 'there is no option "ttl"; did you mean "ttlMs"?'],
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
  const misspelled = { maxTask: 1, maxRuning: 1 } as object;
  expect(() => receiveTasks(misspelled)).toThrow(
    'receiveTasks: there is no option "maxTask"; did you mean "maxTasks"?',
  );
  expect(() => new InMemoryTaskStore(misspelled)).toThrow('InMemoryTaskStore: there is no option "maxTask"');
  expect(() => new TaskEngine({ maxRuning: 1 } as object)).toThrow('TaskEngine: there is no option "maxRuning"');
  const misspelledOf = (tasks: object) => () => new McpServer({ name: "studio", version: "1.0.0", tasks });
  expect(misspelledOf({ maxRuning: 1 })).toThrow('tasks: there is no option "maxRuning"; did you mean "maxRunning"?');
  expect(misspelledOf({ onError: () => undefined })).toThrow('tasks: there is no option "onError"');
});
