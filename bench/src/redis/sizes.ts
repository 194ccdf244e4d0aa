/** Bytes that Redis needs for a session, an event and a task. */
import { redisBackend } from "@parley-mcp/redis";
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks, tasks } from "parley-mcp/tasks";

export interface Sizes {
  readonly sessionBytes: number;
  readonly eventBytes: number;
  readonly taskBytes: number;
}

const IDENTITY = { name: "bench", version: "1.0.0" } as const;
/** A progress report with a short message. */
const EVENT = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 1, progress: 1, total: 8, message: "copied the first of eight files" },
});

/** `count` of each. Tables have a size of their own, so few of them seem larger. */
export async function measureSizes(redisUrl: string, count: number): Promise<Sizes> {
  await using shared = await redisBackend(redisUrl, { prefix: "sizes" });
  const server = new McpServer({ ...IDENTITY, ...shared.server, tasks: serveTasks({ store: shared.taskStore }) });
  server.tool("work", { task: "required" }, () => "worked");
  const http = await serveHttp(server, shared.http);
  const eventStore = shared.http.legacy.eventStore;
  const bytes = async () => {
    const info = String(await shared.connection.send("memory", ["INFO", "memory"]));
    return Number(/used_memory:(\d+)/.exec(info)?.[1]);
  };
  const each = async (work: (index: number) => Promise<unknown>) => {
    // Scripts, tables and buffers that all share.
    await work(-1);
    const before = await bytes();
    for (let index = 0; index < count; index += 1) await work(index);
    return ((await bytes()) - before) / count;
  };

  const open: Client[] = [];
  const sessionBytes = await each(async () => {
    open.push(await Client.connect(http.url, { ...IDENTITY, revision: "2025-11-25" }));
  });
  for (const client of open) await client.close();
  // Each stream has its answer besides.
  const eventBytes = await each((index) =>
    Promise.resolve(eventStore?.append("session", "stream", { number: index + 2, data: EVENT })),
  );
  const client = await Client.connect(http.url, { ...IDENTITY, extensions: [tasks] });
  const taskBytes = await each(() => client.request("tools/call", { name: "work" }));
  await client.close();
  await http.close();
  return { sessionBytes, eventBytes, taskBytes };
}
