/** `parley-mcp/tasks`: tasks of servers and clients, their stores, and the engine that runs them. */
export { serveTasks } from "../server/tasks/serve-tasks.js";
export type { ServerTaskOptions, ServerTasks } from "../server/tasks/server-tasks.js";
export { type ClientTaskOptions, ClientTasks, receiveTasks } from "./client-tasks.js";
export {
  reopenTask,
  type StartToolOptions,
  type StoredTask,
  startTool,
  type TaskClient,
  TaskHandle,
  type TaskOptions,
} from "./extension/task-handle.js";
export { taskIds } from "./extension/task-ids.js";
export type { DetailedTask, TaskState } from "./extension/task-messages.js";
export { cancelTask, getTask, updateTask } from "./extension/task-methods.js";
export { createdTask, tasks } from "./extension/tasks-extension.js";
export { InMemoryTaskStore } from "./in-memory-task-store.js";
export type { TaskCreation, TaskStart } from "./task-creation.js";
export { type TaskCancellation, TaskEngine, type TaskRecovery } from "./task-engine.js";
export type { TaskEngineOptions } from "./task-engine-options.js";
export {
  inputRequestsOf,
  isTerminal,
  type TaskInput,
  type TaskLease,
  type TaskQuestion,
  type TaskRecord,
  type TaskSummary,
  taskBytes,
  taskSummary,
} from "./task-record.js";
export type { TaskPage, TaskStore } from "./task-store.js";
export type { TaskStoreLimits } from "./task-table.js";
export type { TaskRun, TaskRunner, TaskWork } from "./task-work.js";
