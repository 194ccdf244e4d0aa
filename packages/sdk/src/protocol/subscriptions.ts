/** Subscriptions of the modern era: one long request that names the changes to listen to. */
import type { NotificationParams, RequestParams, Result } from "./message-base.js";

/** The changes to listen to. */
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
