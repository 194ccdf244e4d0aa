/** Subscriptions of the modern era: one long request that names the changes to listen to. */
import type { NotificationParams, RequestParams, Result } from "./message-base.js";
import { notificationFields, requestFields, resultFields } from "./message-base.js";
import { MetaKey } from "./meta-keys.js";
import type { Shape } from "./shape.js";
import { array, boolean, object, optional, string, stringOrInteger } from "./shape.js";

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

const subscriptionFilterShape: Shape = object<SubscriptionFilter>({
  toolsListChanged: optional(boolean),
  promptsListChanged: optional(boolean),
  resourcesListChanged: optional(boolean),
  resourceSubscriptions: optional(array(string)),
});

export const subscriptionsListenParamsShape: Shape = object<SubscriptionsListenParams>({
  ...requestFields,
  notifications: subscriptionFilterShape,
});

export const subscriptionsListenResultShape: Shape = object<SubscriptionsListenResult>({
  ...resultFields,
  _meta: object<{ [MetaKey.subscriptionId]: unknown }>({ [MetaKey.subscriptionId]: stringOrInteger }),
});

export const subscriptionsAcknowledgedParamsShape: Shape = object<SubscriptionsAcknowledgedParams>({
  ...notificationFields,
  notifications: subscriptionFilterShape,
});
