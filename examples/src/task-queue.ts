/**
 * Tasks on a queue: a replica that takes calls, and two workers that run their tasks, each in a process of its own. The worker that
 * begins the task is killed, and the other one finishes it. Needs a Redis at REDIS_URL.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BullmqTaskRunner, workTasks } from "@parley-mcp/bullmq";
import { redisBackend } from "@parley-mcp/redis";
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks, startTool, tasks } from "parley-mcp/tasks";

const REDIS_URL = process.env.REDIS_URL ?? "redis://localhost:6379";
const PREFIX = "task-queue-example";
/** Short, so that the end of a worker is noticed after seconds. */
const LEASE_MS = 2_000;
const [, , role = "replica", name = "replica"] = process.argv;

const shared = await redisBackend(REDIS_URL, { prefix: PREFIX }).catch((error: Error) => {
  console.error(`This example needs a Redis at REDIS_URL. ${error.message}`);
  process.exit(1);
});
const runner = await BullmqTaskRunner.open(REDIS_URL, { prefix: PREFIX });
const server = new McpServer({
  name: "studio",
  version: "1.0.0",
  ...shared.server,
  tasks: serveTasks({ store: shared.taskStore, runner, leaseMs: LEASE_MS }),
  onClose: async () => {
    await runner.close();
    await shared.close();
  },
});

server.tool("print", { task: { mode: "required", rerun: true, pollIntervalMs: 100 } }, async (_args, context) => {
  // Paid once, however many workers it takes.
  const receipt = await context.once("pay", () => `paid by ${name}`);
  process.send?.("begun");
  await context.progress(1, 2, `Printing (${name})`);
  // The first worker prints until it is killed.
  if (process.env.IS_SLOW) await new Promise(() => undefined);
  return `${receipt}, printed by ${name}`;
});

if (role === "worker") {
  await workTasks(server, REDIS_URL, { prefix: PREFIX, lockMs: LEASE_MS, retryDelayMs: 200 });
  process.send?.("ready");
} else {
  const { url, close } = await serveHttp(server, shared.http);
  const first = await startWorker("first", { IS_SLOW: "1" });
  const client = await Client.connect(url, { name: "cli", version: "1.0.0", extensions: [tasks] });
  const begun = said(first, "begun");
  const task = await startTool(client, "print");
  await begun;
  console.log("The first worker has begun the task. It is killed now.");
  first.kill("SIGKILL");
  const second = await startWorker("second", {});
  const { content } = await task.result({ onProgress: ({ message }) => console.log(message) });
  console.log(content[0]);
  second.kill("SIGKILL");
  await client.close();
  await close();
}

async function startWorker(worker: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ["worker", worker], { env: { ...process.env, ...env } });
  await said(child, "ready");
  return child;
}

function said(child: ChildProcess, message: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("message", (heard) => {
      if (heard === message) resolve();
    });
    child.once("exit", () => reject(new Error(`A worker ended before it was ${message}`)));
  });
}
