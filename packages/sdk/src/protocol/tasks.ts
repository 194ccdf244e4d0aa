/** Tasks of 2025-11-25: requests whose result is fetched later. */
import type { NotificationParams, PageParams, PageResult, RequestParams, Result } from "./message-base.js";
import { notificationFields, pageResultFields, requestFields, resultFields } from "./message-base.js";
import type { Fields, Shape } from "./shape.js";
import { array, integer, nullable, object, oneOf, optional, string } from "./shape.js";

/** Asks that a request be run as a task. */
export interface TaskRequest {
  /** How many milliseconds the task should be kept. */
  ttl?: number | undefined;
}

/** Where a task stands. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A task as its receiver reports it. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string | undefined;
  /** An ISO 8601 time. */
  createdAt: string;
  /** An ISO 8601 time. */
  lastUpdatedAt: string;
  /** How many milliseconds the task is kept from its creation; null for no limit. */
  ttl: number | null;
  /** How many milliseconds to wait between two `tasks/get`. */
  pollInterval?: number | undefined;
}

/** The result of a request that is run as a task. */
export interface CreateTaskResult extends Result {
  task: Task;
}

/** The params of `tasks/get`, `tasks/result` and `tasks/cancel`. */
export interface TaskParams extends RequestParams {
  taskId: string;
}

/** The result of `tasks/get` and `tasks/cancel`. */
export interface TaskResult extends Result, Task {}

/** The params of `tasks/list`. */
export type ListTasksParams = PageParams;

/** The result of `tasks/list`. */
export interface ListTasksResult extends PageResult {
  tasks: Task[];
}

/** The params of `notifications/tasks/status`. */
export interface TaskStatusParams extends NotificationParams, Task {}

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
