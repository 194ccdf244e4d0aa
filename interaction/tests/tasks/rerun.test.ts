import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks, type TaskStore, tasks } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { reached } from "../../src/task-status.js";
import { verifies } from "../../src/verifies.js";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

verifies(
  "tasks:rerun",
  "a restarted server runs the handler of a rerun task again with its stored effects and fails other tasks, and the client finds both by id",
  async ({ connect, era }) => {
    const store = new InMemoryTaskStore();
    const charge = vi.fn(() => 7);
    const charged = deferred<void>();
    const release = deferred<void>();
    const create = () => {
      const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store }) });
      const input = z.object({ page: z.number() });
      server.tool("render", { input, task: { mode: "optional", rerun: true } }, async ({ page }, context) => {
        const price = await context.once("charge", charge);
        charged.resolve();
        await release.promise;
        return `Page ${page} for ${price}`;
      });
      server.tool("fragile", { task: "optional" }, () => new Promise<string>(() => undefined));
      return server;
    };
    const first = create();
    const before = await connect(first, { extensions: [tasks] });
    const start = async (name: string, args: object) => {
      const created = await before.request("tools/call", { name, arguments: { ...args }, task: {} });
      return era === "modern" ? created.taskId : (created.task as { taskId: string }).taskId;
    };
    const rendered = await start("render", { page: 3 });
    const fragile = await start("fragile", {});
    await charged.promise;
    await before.close();
    await first.close();

    const after = await connect(create(), { extensions: [tasks] });
    release.resolve();
    const status = async (taskId: unknown, wanted: string) =>
      era === "modern"
        ? reached(after, taskId, wanted)
        : after.request("tasks/result", { taskId }).then((result) => ({ result }));
    expect((await status(rendered, "completed")).result).toMatchObject(text("Page 3 for 7"));
    expect(charge).toHaveBeenCalledTimes(1);
    if (era === "modern") expect(await status(fragile, "failed")).toMatchObject({ error: { code: -32603 } });
    else await expect(status(fragile, "failed")).rejects.toMatchObject({ code: -32603 });
  },
);

verifies(
  "tasks:rerun:while-running",
  "a running server takes over the task of a process that has ended, and the client gets the result",
  async ({ connect, era }) => {
    const memory = new InMemoryTaskStore();
    let hasEnded = false;
    const none = async function* () {};
    const shared = Object.assign(memory, {
      abandonedByOthers: () => (hasEnded ? memory.abandoned() : none()),
    });
    const open = (store: TaskStore, act: () => Promise<string>) => {
      const server = new McpServer({
        name: "studio",
        version: "1.0.0",
        tasks: serveTasks({ store, recoverIntervalMs: 20 }),
      });
      server.tool("render", { task: { mode: "optional", rerun: true } }, act);
      return server;
    };
    const second = open(shared, async () => "by the second");
    const after = await connect(second, { extensions: [tasks] });
    await after.listTools();
    const first = open(shared, () => new Promise(() => undefined));
    const before = await connect(first, { extensions: [tasks] });
    const created = await before.request("tools/call", { name: "render", task: {} });
    const taskId = era === "modern" ? created.taskId : (created.task as { taskId: string }).taskId;
    await before.close();
    await first.close();
    hasEnded = true;

    const { result } =
      era === "modern"
        ? await reached(after, taskId, "completed")
        : { result: await after.request("tasks/result", { taskId }) };
    expect(result).toMatchObject(text("by the second"));
    await after.close();
    await second.close();
  },
);
