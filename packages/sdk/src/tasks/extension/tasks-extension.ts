/**
 * The extension `io.modelcontextprotocol/tasks`, built with the public `defineExtension`. A server adds it by
 * `serveTasks`. A client names it in its option `extensions`.
 */
import { defineExtension, type Extension } from "../../routing/extension.js";
import { defineResultType, type ResultTypeDefinition } from "../../routing/result-type.js";
import type { JsonSchema } from "../../schema/schema.js";
import { followTask } from "./follow-task.js";
import { callAsLegacyTask } from "./legacy-task-calls.js";
import { taskIds } from "./task-ids.js";
import type { TaskState } from "./task-messages.js";
import { cancelTask, getTask, TASK, updateTask } from "./task-methods.js";

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
  around: { "tools/call": callAsLegacyTask },
});
