import { describe, expect, it, vi } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";
import { serveTasks } from "../server/tasks/serve-tasks.js";
import { InMemoryTaskStore } from "../tasks/in-memory-task-store.js";

const identity = { name: "studio", version: "1.0.0" };
const legacy = { ...identity, revision: "2025-11-25" } as const;

describe("a stored task", () => {
  it.each([
    [{ pages: 3 }, "3 pages"],
    [undefined, "1 pages"],
  ])("runs with the arguments %j of its call", async (args, text) => {
    const store = new InMemoryTaskStore();
    const jobs: string[] = [];
    const runner = { start: (taskId: string) => void jobs.push(taskId), recovers: true };
    const serve = () => {
      const server = new McpServer({ ...identity, tasks: serveTasks({ store, runner }) });
      const input = { type: "object", properties: { pages: { type: "integer" } } };
      server.tool("render", { input, task: "optional" }, ({ pages = 1 }) => `${pages} pages`);
      return server;
    };
    const worker = serve();
    await using client = await Client.connect(serve(), legacy);
    const call = { name: "render", ...(args && { arguments: args }), task: {} };
    const { task } = (await client.request("tools/call", call)) as unknown as { task: { taskId: string } };
    expect(await worker.runTask(jobs[0] as string)).toBe(true);
    expect(await client.request("tasks/result", { taskId: task.taskId })).toMatchObject({ content: [{ text }] });
    await worker.close();
  });
});

describe("a server that closes", () => {
  it("aborts the handlers of its tasks, and runs new ones if it is used again", async () => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const signals: AbortSignal[] = [];
    server.tool("render", { task: "optional" }, (_args, { signal }) => {
      signals.push(signal);
      return new Promise<string>(() => undefined);
    });
    const start = async () => {
      await using client = await Client.connect(server, legacy);
      await client.request("tools/call", { name: "render", task: {} });
      await vi.waitFor(() => expect(signals.at(-1)?.aborted).toBe(false));
    };
    await start();
    await server.close();
    expect(signals[0]?.aborted).toBe(true);
    await start();
    expect(signals).toHaveLength(2);
    await server.close();
  });
});
