/** Shapes of listening to changes. */
import { MetaKey } from "../meta-keys.js";
import type { Shape } from "../shape.js";
import { array, boolean, object, optional, string, stringOrInteger } from "../shape.js";
import type {
  SubscriptionFilter,
  SubscriptionsAcknowledgedParams,
  SubscriptionsListenParams,
  SubscriptionsListenResult,
} from "../subscriptions.js";
import { notificationFields, requestFields, resultFields } from "./message-base.js";

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
