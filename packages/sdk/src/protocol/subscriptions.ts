/** The modern way to hear of changes: one long request that names what to listen to. */
import type { NotificationParams, RequestParams, Result } from "./message-base.js";

/** What to hear of. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean | undefined;
  promptsListChanged?: boolean | undefined;
  resourcesListChanged?: boolean | undefined;
  /** URIs of the resources to watch. */
  resourceSubscriptions?: string[] | undefined;
}

/** The params of `subscriptions/listen`. */
export interface SubscriptionsListenParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/** The result of `subscriptions/listen`: its `_meta` names the subscription that ended. */
export type SubscriptionsListenResult = Result;

/** The params of `notifications/subscriptions/acknowledged`. */
export interface SubscriptionsAcknowledgedParams extends NotificationParams {
  /** The part of the filter that the server honors. */
  notifications: SubscriptionFilter;
}
