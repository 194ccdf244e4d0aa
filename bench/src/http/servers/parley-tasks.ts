/** Parley as in parley.ts, with tools whose calls become tasks. */
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks } from "parley-mcp/tasks";
import { quote, UNREACHED_RATES } from "../../workload.js";
import type { Serve } from "../http-contender.js";

/** Tasks are kept no longer than needed, so that the store does not grow over a run. */
const TASK = { mode: "required", ttlMs: 1_000 } as const;
/** Limits that no measurement reaches: all clients of a load are one principal. */
const UNREACHED_TASKS = { maxTasks: 1_000_000, maxTasksPerPrincipal: 1_000_000 };
const UNREACHED_BYTES = { maxBytes: 2 ** 31, maxBytesPerPrincipal: 2 ** 31 };

export const serve: Serve = (_mode, tools) => {
  const store = new InMemoryTaskStore({ ...UNREACHED_TASKS, ...UNREACHED_BYTES });
  const tasks = serveTasks({ store });
  const server = new McpServer({ name: "bench", version: "1.0.0", rateLimits: UNREACHED_RATES, tasks });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.tool(name, { description, input: inputSchema, output: outputSchema, task: TASK }, quote);
  }
  return serveHttp(server);
};
