/** Every notification of every revision, as data. */

import { elicitationCompleteParamsShape } from "./elicitation.js";
import { loggingMessageParamsShape } from "./logging.js";
import { emptyNotificationShape } from "./message-base.js";
import type { NotificationSpec } from "./method-spec.js";
import { cancelledParamsShape, progressParamsShape } from "./notifications.js";
import { resourceUpdatedParamsShape } from "./resources.js";
import { subscriptionsAcknowledgedParamsShape } from "./subscriptions.js";
import { taskStatusParamsShape } from "./tasks.js";

const FROM_CLIENT = { sender: "client", since: "2024-11-05" } as const;
const FROM_SERVER = { sender: "server", since: "2024-11-05" } as const;
const LAST_LEGACY = "2025-11-25";

/** Every notification of every revision. */
export const NOTIFICATIONS: readonly NotificationSpec[] = [
  { ...FROM_CLIENT, method: "notifications/initialized", until: LAST_LEGACY, params: emptyNotificationShape },
  { ...FROM_CLIENT, method: "notifications/cancelled", params: cancelledParamsShape },
  { ...FROM_SERVER, method: "notifications/cancelled", params: cancelledParamsShape },
  { ...FROM_CLIENT, method: "notifications/progress", until: LAST_LEGACY, params: progressParamsShape },
  { ...FROM_SERVER, method: "notifications/progress", params: progressParamsShape },
  {
    ...FROM_CLIENT,
    method: "notifications/roots/list_changed",
    until: LAST_LEGACY,
    capability: "roots.listChanged",
    params: emptyNotificationShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/tools/list_changed",
    capability: "tools.listChanged",
    params: emptyNotificationShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/prompts/list_changed",
    capability: "prompts.listChanged",
    params: emptyNotificationShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/resources/list_changed",
    capability: "resources.listChanged",
    params: emptyNotificationShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/resources/updated",
    capability: "resources.subscribe",
    params: resourceUpdatedParamsShape,
  },
  { ...FROM_SERVER, method: "notifications/message", capability: "logging", params: loggingMessageParamsShape },
  // The receiver's capability `elicitation.url` was checked by the request that this notification refers to.
  {
    ...FROM_SERVER,
    method: "notifications/elicitation/complete",
    since: "2025-11-25",
    until: LAST_LEGACY,
    params: elicitationCompleteParamsShape,
  },
  {
    ...FROM_CLIENT,
    method: "notifications/tasks/status",
    since: "2025-11-25",
    until: LAST_LEGACY,
    capability: "tasks",
    params: taskStatusParamsShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/tasks/status",
    since: "2025-11-25",
    until: LAST_LEGACY,
    capability: "tasks",
    params: taskStatusParamsShape,
  },
  {
    ...FROM_SERVER,
    method: "notifications/subscriptions/acknowledged",
    since: "2026-07-28",
    params: subscriptionsAcknowledgedParamsShape,
  },
];
