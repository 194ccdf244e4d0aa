/** Notifications of the specification that `context.notify` refuses, and how each is sent instead. */
import { SdkError } from "../errors/sdk-error.js";

const ONLY_CLIENTS = "only clients send it";

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["notifications/message", "use context.log, which keeps to the level that the client asked for"],
  ["notifications/progress", "use context.progress, which keeps to the token of the request and to rising values"],
  ["notifications/cancelled", "a question is cancelled by the signal that it was given"],
  ["notifications/tools/list_changed", "use server.announce.toolsChanged()"],
  ["notifications/prompts/list_changed", "use server.announce.promptsChanged()"],
  ["notifications/resources/list_changed", "use server.announce.resourcesChanged()"],
  ["notifications/resources/updated", "use server.announce.resourceUpdated(uri)"],
  ["notifications/elicitation/complete", "use server.announce.elicitationComplete(elicitationId)"],
  ["notifications/subscriptions/acknowledged", "it belongs to subscriptions/listen"],
  ["notifications/initialized", ONLY_CLIENTS],
  ["notifications/roots/list_changed", ONLY_CLIENTS],
]);

/** Notifications that a custom `subscriptions/listen` handler may send. */
const OF_LISTEN: ReadonlySet<string> = new Set([
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/subscriptions/acknowledged",
]);

/** The error for a notification that a handler of `request` must not send; undefined if it may. */
export function refusedNotification(notification: string, request: string): SdkError | undefined {
  const instead = INSTEAD.get(notification);
  if (instead === undefined || (request === "subscriptions/listen" && OF_LISTEN.has(notification))) return undefined;
  return new SdkError("invalid-argument", `${notification} was not sent: ${instead}`);
}
