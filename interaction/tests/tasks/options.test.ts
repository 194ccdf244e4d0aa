import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, receiveTasks, serveTasks, TaskEngine, tasks } from "parley-mcp/tasks";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "tasks:options",
  "registering a tool with an invalid option task throws an error that names the tool and the valid values",
  () => {
    const identity = { name: "studio", version: "1.0.0" };
    const server = new McpServer({ ...identity, tasks: serveTasks() });
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
    expect(() => new McpServer({ ...identity, tasks: serveTasks({ maxTtlMs: 0 }) })).toThrow("maxTtlMs");
    expect(() => new McpServer({ ...identity, tasks: serveTasks({ recoverIntervalMs: 0 }) })).toThrow(
      "recoverIntervalMs: expected milliseconds from 1",
    );
    const misspelled = { maxTask: 1, maxRuning: 1 } as object;
    expect(() => receiveTasks(misspelled)).toThrow(
      'receiveTasks: there is no option "maxTask"; did you mean "maxTasks"?',
    );
    expect(() => new InMemoryTaskStore(misspelled)).toThrow('InMemoryTaskStore: there is no option "maxTask"');
    expect(() => new TaskEngine({ maxRuning: 1 } as object)).toThrow('TaskEngine: there is no option "maxRuning"');
    expect(() => serveTasks({ maxRuning: 1 } as object)).toThrow(
      'serveTasks: there is no option "maxRuning"; did you mean "maxRunning"?',
    );
    expect(() => serveTasks({ onError: () => undefined } as object)).toThrow(
      'serveTasks: there is no option "onError"',
    );
  },
);

verifies(
  "tasks:opt-in",
  "registering a tool with the option task on a server without tasks throws an error with the line to add",
  () => {
    const plain = new McpServer({ name: "studio", version: "1.0.0" });
    const advice = 'write new McpServer({ …, tasks: serveTasks() }) with import { serveTasks } from "parley-mcp/tasks"';

    for (const task of ["optional", "required"] as const) {
      expect(() => plain.tool("render", { task }, () => "done")).toThrow(
        expect.objectContaining({
          code: "invalid-argument",
          message: `tool "render": task: the server runs no tasks; ${advice}`,
        }),
      );
    }
    const given = { store: new InMemoryTaskStore() } as never;
    expect(() => new McpServer({ name: "studio", version: "1.0.0", tasks: given })).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        message: `McpServer: tasks: expected serveTasks(), got an object; ${advice}`,
      }),
    );
  },
);

verifies("tasks:served-again", "a server that was closed runs tasks for the next client", async () => {
  const identity = { name: "studio", version: "1.0.0" };
  const server = new McpServer({ ...identity, tasks: serveTasks() });
  server.tool("render", { task: { mode: "required", pollIntervalMs: 50 } }, () => "done");

  for (let use = 0; use < 2; use += 1) {
    const client = await Client.connect(server, { ...identity, extensions: [tasks] });
    expect(await client.callTool("render")).toMatchObject({ content: [{ type: "text", text: "done" }] });
    await client.close();
    await server.close();
  }
});
