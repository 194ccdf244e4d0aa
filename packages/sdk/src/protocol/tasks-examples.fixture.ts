/** Examples of tasks, which either side may run. */
import type { JsonObject } from "../runtime/json.js";
import type { Example } from "./example.fixture.js";
import { notification, params, result } from "./example.fixture.js";
import type { ListTasksParams, ListTasksResult, Task, TaskParams, TaskResult, TaskStatusParams } from "./tasks.js";

const task: Task = {
  taskId: "1",
  status: "working",
  statusMessage: "busy",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:01Z",
  ttl: 1000,
  pollInterval: 10,
};
const required = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"];

export const tasksExamples: readonly Example[] = (["client", "server"] as const).flatMap((sender) => [
  params<TaskParams>(`${sender} tasks/get`, "GetTaskRequest", { taskId: "1" }, { required: ["taskId"] }),
  result<TaskResult>(`${sender} tasks/get`, "GetTaskResult", { ...task }, { required }),
  params<TaskParams>(`${sender} tasks/result`, "GetTaskPayloadRequest", { taskId: "1" }, { required: ["taskId"] }),
  result<JsonObject>(`${sender} tasks/result`, "GetTaskPayloadResult", { content: [] }, { open: ["content"] }),
  params<TaskParams>(`${sender} tasks/cancel`, "CancelTaskRequest", { taskId: "1" }, { required: ["taskId"] }),
  result<TaskResult>(
    `${sender} tasks/cancel`,
    "CancelTaskResult",
    { ...task, status: "cancelled", ttl: null },
    { required },
  ),
  params<ListTasksParams>(`${sender} tasks/list`, "ListTasksRequest", { cursor: "1" }),
  result<ListTasksResult>(
    `${sender} tasks/list`,
    "ListTasksResult",
    { tasks: [task], nextCursor: "2" },
    { required: ["tasks", ...required.map((field) => `tasks[0].${field}`)] },
  ),
  notification<TaskStatusParams>(`${sender} notifications/tasks/status`, "TaskStatusNotification", task, { required }),
]);
