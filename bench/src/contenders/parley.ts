/** Parley's own client and server: handed over directly in process, and through JSON-RPC over its in-memory transport. */
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks } from "parley-mcp/tasks";
import { connectInProcess } from "parley-mcp/testing";
import { type Contender, type Era, REVISION, type Session } from "../contender.js";
import { type Answer, DESCRIPTION, inputSchema, outputSchema, quote, TOOL, UNREACHED_RATES } from "../workload.js";

export const parleyModern: Contender = direct("modern");
export const parleyLegacy: Contender = direct("legacy");
export const parleyJsonRpcModern: Contender = overJsonRpc("modern");
export const parleyJsonRpcLegacy: Contender = overJsonRpc("legacy");
/** The cost of a task against a plain call. In 2025-11-25 a client can wait for the result without polls. */
export const parleyTask: Contender = {
  name: "parley, as a task",
  era: "legacy",
  role: "reference",
  note: "each call becomes a task, which is stored, run and read with tasks/result",
  start: async () => taskSession(await Client.connect(createTaskServer(), { ...IDENTITY, revision: REVISION.legacy })),
};

/** Tasks are kept no longer than needed, so that the store does not grow over a run. */
const TASK_TTL_MS = 1_000;
const IDENTITY = { name: "bench", version: "1.0.0" };

function direct(era: Era): Contender {
  return {
    name: "parley",
    era,
    role: "ours",
    start: async () =>
      session(await Client.connect(createServer(), { name: "bench", version: "1.0.0", revision: REVISION[era] })),
  };
}

function overJsonRpc(era: Era): Contender {
  return {
    name: "parley, JSON-RPC",
    era,
    role: "reference",
    note: "every message written as JSON-RPC and read back, which an in-process connection does not need",
    start: async () => session(await connectInProcess(createServer(), { over: "json-rpc", revision: REVISION[era] })),
  };
}

function createTaskServer(): McpServer {
  const store = new InMemoryTaskStore({ maxTasks: 1_000_000, maxBytes: 2 ** 30 });
  const server = new McpServer({ ...IDENTITY, rateLimits: UNREACHED_RATES, tasks: serveTasks({ store }) });
  const task = { mode: "required", ttlMs: TASK_TTL_MS } as const;
  server.tool(TOOL, { description: DESCRIPTION, input: inputSchema, output: outputSchema, task }, quote);
  return server;
}

async function taskSession(client: Client): Promise<Session> {
  return {
    async call(order) {
      const answer = await client.request("tools/call", { name: TOOL, arguments: { ...order }, task: {} });
      const { taskId } = (answer.task ?? {}) as { readonly taskId?: string };
      // A call with invalid arguments does not become a task.
      const result = taskId === undefined ? answer : await client.request("tasks/result", { taskId });
      return result as unknown as Answer;
    },
    stop: () => client.close(),
  };
}

function createServer(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0", rateLimits: UNREACHED_RATES });
  server.tool(TOOL, { description: DESCRIPTION, input: inputSchema, output: outputSchema }, quote);
  return server;
}

async function session(client: Client): Promise<Session> {
  await client.listTools();
  return { call: (order) => client.callTool(TOOL, order), stop: () => client.close() };
}
