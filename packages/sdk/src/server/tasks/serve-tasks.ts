/** Serves the methods of tasks: the modern extension by what every extension uses, and those of 2025-11-25 by their names. */
import type { RequestHandler } from "../../routing/router.js";
import { taskIds } from "../../tasks/extension/task-ids.js";
import { cancelTask, getTask, updateTask } from "../../tasks/extension/task-methods.js";
import { tasks } from "../../tasks/extension/tasks-extension.js";
import type { ChangeDelivery } from "../changes/change-delivery.js";
import type { McpServer } from "../mcp-server.js";
import type { ServerContext } from "../server-context.js";
import type { ServerTasks } from "./server-tasks.js";

/** `serve` sets the handler of a method, unless the author has set one. */
export function serveTasks(
  server: McpServer,
  served: ServerTasks,
  serve: (method: string, handler: RequestHandler<ServerContext>) => void,
  changes: Pick<ChangeDelivery, "deliver">,
): void {
  const { legacy } = served;
  serve("tasks/get", (params, context) => legacy.get(params, context));
  serve("tasks/result", (params, context) => legacy.result(params, context));
  serve("tasks/list", (params, context) => legacy.list(params, context));
  serve("tasks/cancel", (params, context) => legacy.cancel(params, context));
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
  // Each process learns of changes by the store. Over the bus, streams would get them once per process.
  served.onChange = ({ taskId }) => changes.deliver({ kind: "extension", filter: taskIds.name, topic: taskId });
}
