/** Notifications of the specification that are no part of a request's answer, and how each is sent instead. */
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

/** A stream of changes carries these, whoever serves it. */
const OF_LISTEN: ReadonlySet<string> = new Set([
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/subscriptions/acknowledged",
]);

/** Why a handler of `request` must not send the notification, if it must not. */
export function refusedNotification(notification: string, request: string): SdkError | undefined {
  const instead = INSTEAD.get(notification);
  if (instead === undefined || (request === "subscriptions/listen" && OF_LISTEN.has(notification))) return undefined;
  return new SdkError("invalid-argument", `${notification} was not sent: ${instead}`);
}
