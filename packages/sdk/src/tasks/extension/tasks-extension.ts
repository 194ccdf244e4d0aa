/**
 * The extension `io.modelcontextprotocol/tasks`, built from what `defineExtension` offers to everybody. A server adds it with its
 * first tool that has the option `task`. A client names it in its option `extensions`.
 */
import { defineExtension, type Extension } from "../../routing/extension.js";
import { defineListenFilter, type ListenFilterDefinition } from "../../routing/listen-filter-definition.js";
import { defineNotification, type NotificationDefinition } from "../../routing/method-definition.js";
import { defineResultType, type ResultTypeDefinition } from "../../routing/result-type.js";
import type { JsonSchema } from "../../schema/schema.js";
import { followTask } from "./follow-task.js";
import type { TaskState } from "./task-messages.js";
import { cancelTask, DETAILED_TASK, getTask, TASK, updateTask } from "./task-methods.js";

const taskChanged: NotificationDefinition<JsonSchema> = defineNotification("notifications/tasks", {
  params: DETAILED_TASK,
});

/** The filter of `subscriptions/listen` for the status of tasks. */
export const taskIds: ListenFilterDefinition<JsonSchema, JsonSchema> = defineListenFilter("taskIds", {
  filter: { type: "array", items: { type: "string" } },
  notification: taskChanged,
  topicOf: ({ taskId }) => String(taskId),
});

/** The answer to a call that became a task. */
export const createdTask: ResultTypeDefinition<JsonSchema> = defineResultType("task", {
  methods: ["tools/call"],
  result: TASK,
  // The schema has passed.
  settle: (task, call) => followTask(task as unknown as TaskState, call),
});

/**
 * Tasks: a server answers a call of a long-running tool with a task, and the client fetches the result later.
 *
 * @example
 * const client = new Client({ name: "cli", version: "1.0.0", extensions: [tasks] });
 */
export const tasks: Extension = defineExtension("io.modelcontextprotocol/tasks", {
  methods: [getTask, updateTask, cancelTask],
  resultTypes: [createdTask],
  listenFilters: [taskIds],
});
