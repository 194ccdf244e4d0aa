/** Shapes of the tasks of 2025-11-25. */
import type { Fields, Shape } from "../shape.js";
import { array, integer, nullable, object, oneOf, optional, string } from "../shape.js";
import type {
  CreateTaskResult,
  ListTasksResult,
  Task,
  TaskParams,
  TaskRequest,
  TaskResult,
  TaskStatusParams,
} from "../tasks.js";
import { notificationFields, pageResultFields, requestFields, resultFields } from "./message-base.js";

export const taskRequestShape: Shape = object<TaskRequest>({ ttl: optional(integer) });

const taskFields: Fields<Task> = {
  taskId: string,
  status: oneOf("working", "input_required", "completed", "failed", "cancelled"),
  statusMessage: optional(string),
  createdAt: string,
  lastUpdatedAt: string,
  ttl: nullable(integer),
  pollInterval: optional(integer),
};

const taskShape: Shape = object<Task>(taskFields);

/** The result of a request that was sent with `task`, in place of the method's own. */
export const createTaskResultShape: Shape = object<CreateTaskResult>({ ...resultFields, task: taskShape });

export const taskParamsShape: Shape = object<TaskParams>({ ...requestFields, taskId: string });

export const taskResultShape: Shape = object<TaskResult>({ ...resultFields, ...taskFields });

export const listTasksResultShape: Shape = object<ListTasksResult>({ ...pageResultFields, tasks: array(taskShape) });

export const taskStatusParamsShape: Shape = object<TaskStatusParams>({ ...notificationFields, ...taskFields });
