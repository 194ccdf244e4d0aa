/**
 * A server with many tasks and their client, in a process where nothing else allocates. Runs on the built package, with
 * `--expose-gc`; questions come over the parent's channel.
 */
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks, tasks } from "parley-mcp/tasks";

const AT_ONCE = 100;
const identity = { name: "many-tasks", version: "1.0.0" };
const all = { maxTasks: 20_000, maxTasksPerPrincipal: 20_000 };

const openStore = new InMemoryTaskStore(all);
const openServer = new McpServer({
  ...identity,
  rateLimits: false,
  tasks: serveTasks({ store: openStore, maxRunning: 20_000, maxRunningPerPrincipal: 20_000 }),
});
let waiting = 0;
openServer.tool("wait", { task: "required" }, async (_args, context) => {
  waiting += 1;
  await context.elicit({ message: "Go on?", schema: { type: "object", properties: { yes: { type: "boolean" } } } });
  return "answered";
});

const endedStore = new InMemoryTaskStore(all);
const endedServer = new McpServer({
  ...identity,
  rateLimits: false,
  tasks: serveTasks({ store: endedStore, defaultTtlMs: 200, pollIntervalMs: 50 }),
});
endedServer.tool("finish", { task: "required" }, () => "x".repeat(1_000));

const options = { ...identity, extensions: [tasks], elicit: () => new Promise(() => undefined) };
const openClient = await Client.connect(openServer, options);
const endedClient = await Client.connect(endedServer, options);

/** @param {number} count @param {() => Promise<unknown>} run */
async function repeat(count, run) {
  for (let left = count; left > 0; left -= AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, run));
}

async function heapBytes() {
  for (let left = 3; left > 0; left -= 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/** `{ open }` starts tasks that wait for an answer, `{ end }` runs tasks to their end. Both are answered with what is held. */
process.on("message", async (/** @type {{ open?: number, end?: number }} */ { open = 0, end = 0 }) => {
  await repeat(open, () => openClient.request("tools/call", { name: "wait" }));
  await repeat(end, () => endedClient.request("tools/call", { name: "finish" }));
  // The store frees expired tasks when the next one is created.
  if (end > 0) await new Promise((resolve) => void setTimeout(resolve, 400));
  if (end > 0) await endedClient.request("tools/call", { name: "finish" });
  // Counted before the garbage is collected: on a busy machine the last one expires meanwhile.
  const ended = endedStore.size;
  process.send?.({ bytes: await heapBytes(), waiting, ended });
});
process.send?.({ port: 0 });
