/**
 * A program with one server definition, for tests with several processes: a replica that serves HTTP and queues tasks, or a worker.
 * It says each fact as one JSON line.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { BullmqTaskRunner, workTasks } from "@parley-mcp/bullmq";
import { redisBackend } from "@parley-mcp/redis";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";

/** Something that happened in the program. */
export interface StudioFact {
  readonly fact: "ready" | "begun" | "aborted" | "charged" | "closed" | "failing";
  readonly url?: string;
  readonly text?: string;
}

const [role = "", name = "", redisUrl = ""] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });

function say(fact: StudioFact): void {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

const onError = (error: Error) => say({ fact: "failing", text: error.message });
const shared = await redisBackend(redisUrl, { onError });
const runner = await BullmqTaskRunner.open(redisUrl, { onError });
const server = new McpServer({
  name,
  version: "1.0.0",
  ...shared.server,
  tasks: serveTasks({ store: shared.taskStore, runner, leaseMs: 1_500 }),
  onError,
});
const task = { mode: "required", pollIntervalMs: 50 } as const;

server.tool("hang", { task }, (_args, context) => hang(context.signal));
server.tool("charge", { task: { ...task, rerun: true } }, async (_args, context) => {
  const by = await context.once("charge", () => {
    say({ fact: "charged" });
    return name;
  });
  if (name === "first") await hang(context.signal);
  await context.once("pack", () => name);
  return `charged by ${by}, sent by ${name}`;
});
server.tool("crash", { task: { ...task, rerun: true } }, () => {
  say({ fact: "begun" });
  process.kill(process.pid, "SIGKILL");
  return new Promise<string>(() => undefined);
});
server.tool("ask", { task }, async (_args, context) => {
  const schema = { type: "object", properties: { color: { type: "string" } } } as const;
  const { content } = await context.elicit({ message: "Which color?", schema }, { key: "color" });
  return `${content?.color}, by ${name}`;
});
server.tool("count", { task }, async (_args, context) => {
  await context.progress(1, 2, `one, by ${name}`);
  return hang(context.signal);
});
server.tool("held", { task }, async () => {
  say({ fact: "begun" });
  await new Promise((resolve) => lines.once("line", resolve));
  return `done by ${name}`;
});

function hang(signal: AbortSignal): Promise<string> {
  say({ fact: "begun" });
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      say({ fact: "aborted", text: String(signal.reason?.message) });
      reject(signal.reason);
    });
  });
}

if (role === "replica") {
  const { url } = await serveHttp(server, shared.http);
  say({ fact: "ready", url });
} else {
  const times = { lockMs: 1_000, retryDelayMs: 200, closeGraceMs: 0 };
  const worker = await workTasks(server, redisUrl, { ...times, onError });
  process.once("SIGTERM", async () => {
    await worker.close();
    await runner.close();
    await shared.close();
    say({ fact: "closed" });
    process.exit(0);
  });
  say({ fact: "ready" });
}
