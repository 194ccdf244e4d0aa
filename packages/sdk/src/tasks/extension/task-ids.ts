/** The listen filter of the extension `io.modelcontextprotocol/tasks`, and the notification that it selects. */
import { defineListenFilter, type ListenFilterDefinition } from "../../routing/listen-filter-definition.js";
import { defineNotification, type NotificationDefinition } from "../../routing/method-definition.js";
import type { JsonSchema } from "../../schema/schema.js";
import { DETAILED_TASK } from "./task-methods.js";

const taskChanged: NotificationDefinition<JsonSchema> = defineNotification("notifications/tasks", {
  params: DETAILED_TASK,
});

/** The filter of `subscriptions/listen` for the status of tasks. */
export const taskIds: ListenFilterDefinition<JsonSchema, JsonSchema> = defineListenFilter("taskIds", {
  filter: { type: "array", items: { type: "string" } },
  notification: taskChanged,
  topicOf: ({ taskId }) => String(taskId),
});
