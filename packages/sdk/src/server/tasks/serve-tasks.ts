/**
 * `serveTasks`, the value of the server option `tasks`. Servers without it do not load the engine. Serves the methods of the modern
 * extension by the API that every extension uses, and those of 2025-11-25 by their names.
 */
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { taskIds } from "../../tasks/extension/task-ids.js";
import { cancelTask, getTask, updateTask } from "../../tasks/extension/task-methods.js";
import { tasks } from "../../tasks/extension/tasks-extension.js";
import { TASK_ENGINE_OPTIONS } from "../../tasks/task-engine-options.js";
import type { McpServer } from "../mcp-server.js";
import { type ServerTaskOptions, ServerTasks, type TaskHost } from "./server-tasks.js";

const { onError: _onError, maxInputRequests: _maxInputRequests, ...ENGINE_OPTIONS } = TASK_ENGINE_OPTIONS;
const OPTIONS: OptionTable<ServerTaskOptions> = { ...ENGINE_OPTIONS, recoverIntervalMs: true };

/**
 * Lets a server run tools with the option `task` as tasks, for its option `tasks`. Each server runs tasks of its own. Servers share
 * them by one store.
 *
 * @throws {SdkError} `invalid-argument` for an unknown option
 * @example
 * const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ maxTtlMs: 600_000 }) });
 * server.tool("render", { task: "optional" }, () => "2 pages");
 */
export function serveTasks(options: ServerTaskOptions = {}): (host: TaskHost) => ServerTasks {
  checkOptions("serveTasks", options, OPTIONS);
  return (host) => {
    const served = new ServerTasks(options, host);
    serveMethods(host.server, served);
    return served;
  };
}

function serveMethods(server: McpServer, served: ServerTasks): void {
  const { legacy } = served;
  server.handle("tasks/get", (params, context) => legacy.get(params, context));
  server.handle("tasks/result", (params, context) => legacy.result(params, context));
  server.handle("tasks/list", (params, context) => legacy.list(params, context));
  server.handle("tasks/cancel", (params, context) => legacy.cancel(params, context));
  server.extend(tasks);
  server.handle(getTask, (params, context) => served.get(params, context));
  server.handle(updateTask, (params, context) => served.update(params, context));
  server.handle(cancelTask, (params, context) => served.cancel(params, context));
  server.serveListenFilter(taskIds, {
    honor: (ids, context) => served.honored(ids, context),
    // `honored` returns ids.
    topics: (ids) => ids as string[],
    params: (taskId, context) => served.current(taskId, context),
  });
}
