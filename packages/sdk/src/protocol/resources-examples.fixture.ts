/** Examples of resources and of watching for changes. */

import type { Example } from "./example.fixture.js";
import { notification, params, result } from "./example.fixture.js";
import type { LoggingMessageParams, SetLevelParams } from "./logging.js";
import type { NotificationParams, Result } from "./message-base.js";
import { MetaKey } from "./meta-keys.js";
import type { ResourceUpdatedParams } from "./notifications.js";
import type {
  ListResourcesParams,
  ListResourcesResult,
  ListResourceTemplatesParams,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  SubscribeParams,
} from "./resources.js";
import type {
  SubscriptionsAcknowledgedParams,
  SubscriptionsListenParams,
  SubscriptionsListenResult,
} from "./subscriptions.js";

export const resourcesExamples: readonly Example[] = [
  params<ListResourcesParams>("client resources/list", "ListResourcesRequest", { cursor: "1" }),
  result<ListResourcesResult>(
    "client resources/list",
    "ListResourcesResult",
    {
      resources: [
        {
          uri: "a:b",
          name: "b",
          title: "B",
          description: "d",
          mimeType: "text/plain",
          size: 3,
          icons: [{ src: "https://example.com/i.png" }],
          annotations: { audience: ["user"], priority: 0, lastModified: "2026-01-01T00:00:00Z" },
          _meta: { x: 1 },
        },
      ],
      nextCursor: "2",
      ttlMs: 5,
      cacheScope: "public",
    },
    {
      required: ["resources", "resources[0].uri", "resources[0].name", "resources[0].icons[0].src"],
      since: "2025-11-25",
    },
  ),
  result<ListResourcesResult>(
    "client resources/list",
    "ListResourcesResult",
    { resources: [{ uri: "a:b", name: "b" }] },
    { required: ["resources", "resources[0].uri", "resources[0].name"] },
  ),
  params<ListResourceTemplatesParams>("client resources/templates/list", "ListResourceTemplatesRequest", {}),
  result<ListResourceTemplatesResult>(
    "client resources/templates/list",
    "ListResourceTemplatesResult",
    {
      resourceTemplates: [
        {
          uriTemplate: "a:{b}",
          name: "b",
          title: "B",
          description: "d",
          mimeType: "text/plain",
          icons: [{ src: "https://example.com/i.png" }],
          annotations: { priority: 1 },
          _meta: { x: 1 },
        },
      ],
    },
    {
      since: "2025-11-25",
      required: [
        "resourceTemplates",
        "resourceTemplates[0].uriTemplate",
        "resourceTemplates[0].name",
        "resourceTemplates[0].icons[0].src",
      ],
    },
  ),
  result<ListResourceTemplatesResult>(
    "client resources/templates/list",
    "ListResourceTemplatesResult",
    { resourceTemplates: [{ uriTemplate: "a:{b}", name: "b" }] },
    { required: ["resourceTemplates", "resourceTemplates[0].uriTemplate", "resourceTemplates[0].name"] },
  ),
  params<ReadResourceParams>("client resources/read", "ReadResourceRequest", { uri: "a:b" }, { required: ["uri"] }),
  params<ReadResourceParams>(
    "client resources/read",
    "ReadResourceRequest",
    { uri: "a:b", requestState: "sealed", inputResponses: {} },
    { required: ["uri"], since: "2026-07-28" },
  ),
  result<ReadResourceResult>(
    "client resources/read",
    "ReadResourceResult",
    {
      contents: [
        { uri: "a:b", text: "t", mimeType: "text/plain", _meta: { x: 1 } },
        { uri: "a:c", blob: "AA==", mimeType: "image/png" },
      ],
    },
    {
      required: [
        "contents",
        "contents[0].uri",
        ["contents[0].text", "contents[0]"],
        "contents[1].uri",
        ["contents[1].blob", "contents[1]"],
      ],
    },
  ),
  params<SubscribeParams>("client resources/subscribe", "SubscribeRequest", { uri: "a:b" }, { required: ["uri"] }),
  result<Result>("client resources/subscribe", "EmptyResult", {}),
  params<SubscribeParams>("client resources/unsubscribe", "UnsubscribeRequest", { uri: "a:b" }, { required: ["uri"] }),
  result<Result>("client resources/unsubscribe", "EmptyResult", {}),
  notification<NotificationParams | undefined>(
    "server notifications/resources/list_changed",
    "ResourceListChangedNotification",
    undefined,
  ),
  notification<ResourceUpdatedParams>(
    "server notifications/resources/updated",
    "ResourceUpdatedNotification",
    { uri: "a:b" },
    { required: ["uri"] },
  ),
  params<SubscriptionsListenParams>(
    "client subscriptions/listen",
    "SubscriptionsListenRequest",
    {
      notifications: {
        toolsListChanged: true,
        promptsListChanged: false,
        resourcesListChanged: true,
        resourceSubscriptions: ["a:b"],
      },
    },
    { required: ["notifications"] },
  ),
  result<SubscriptionsListenResult>(
    "client subscriptions/listen",
    "SubscriptionsListenResult",
    { resultType: "complete", _meta: { [MetaKey.subscriptionId]: 7 } },
    { required: ["_meta", `_meta["${MetaKey.subscriptionId}"]`] },
  ),
  notification<SubscriptionsAcknowledgedParams>(
    "server notifications/subscriptions/acknowledged",
    "SubscriptionsAcknowledgedNotification",
    { notifications: { toolsListChanged: true }, _meta: { [MetaKey.subscriptionId]: "7" } },
    { required: ["notifications"] },
  ),
  params<SetLevelParams>("client logging/setLevel", "SetLevelRequest", { level: "warning" }, { required: ["level"] }),
  result<Result>("client logging/setLevel", "EmptyResult", {}),
  notification<LoggingMessageParams>(
    "server notifications/message",
    "LoggingMessageNotification",
    { level: "info", logger: "db", data: { rows: 3 } },
    { required: ["level", "data"], open: ["data"] },
  ),
];
