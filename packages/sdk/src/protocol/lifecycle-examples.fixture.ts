/** Examples of opening a conversation, of ping, and of the notifications that belong to no feature. */

import type { Example } from "./example.fixture.js";
import { notification, params, result } from "./example.fixture.js";
import type { DiscoverParams, DiscoverResult, InitializeParams, InitializeResult } from "./lifecycle.js";
import type { NotificationParams, RequestParams, Result } from "./message-base.js";
import type { CancelledParams, ProgressParams } from "./notifications.js";

const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const }];
const iconsRequired = (at: string): string[] => [`${at}.icons[0].src`];

export const lifecycleExamples: readonly Example[] = [
  params<InitializeParams>(
    "client initialize",
    "InitializeRequest",
    { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "c", version: "1" } },
    { required: ["protocolVersion", "capabilities", "clientInfo", "clientInfo.name", "clientInfo.version"] },
  ),
  params<InitializeParams>(
    "client initialize",
    "InitializeRequest",
    {
      protocolVersion: "2025-11-25",
      capabilities: {
        experimental: { "example.com/x": { depth: 1 } },
        extensions: { "com.example/e": {} },
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
      },
      clientInfo: { name: "c", version: "1", title: "C", description: "d", websiteUrl: "https://example.com", icons },
    },
    {
      since: "2025-11-25",
      required: [
        "protocolVersion",
        "capabilities",
        "clientInfo",
        "clientInfo.name",
        "clientInfo.version",
        ...iconsRequired("clientInfo"),
      ],
      // 2025-11-25 takes any `extensions`, which came later.
      open: ['capabilities.experimental["example.com/x"].*', "capabilities.extensions"],
    },
  ),
  result<InitializeResult>(
    "client initialize",
    "InitializeResult",
    {
      protocolVersion: "2025-11-25",
      capabilities: {
        experimental: { x: {} },
        logging: {},
        completions: {},
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: false },
        tools: { listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      serverInfo: { name: "s", version: "1" },
      instructions: "Be kind.",
      _meta: { trace: 1 },
    },
    { required: ["protocolVersion", "capabilities", "serverInfo", "serverInfo.name", "serverInfo.version"] },
  ),
  params<DiscoverParams>("client server/discover", "DiscoverRequest", {}),
  result<DiscoverResult>(
    "client server/discover",
    "DiscoverResult",
    {
      resultType: "complete",
      ttlMs: 1000,
      cacheScope: "public",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "com.example/e": {} } },
      instructions: "Be kind.",
    },
    { required: ["supportedVersions", "capabilities"] },
  ),
  params<RequestParams | undefined>("client ping", "PingRequest", undefined),
  params<RequestParams>("server ping", "PingRequest", { _meta: { progressToken: 7 } }),
  result<Result>("client ping", "EmptyResult", { _meta: {} }),
  result<Result>("server ping", "EmptyResult", {}),
  notification<NotificationParams | undefined>(
    "client notifications/initialized",
    "InitializedNotification",
    undefined,
  ),
  ...(["client", "server"] as const).flatMap((sender) => [
    notification<CancelledParams>(
      `${sender} notifications/cancelled`,
      "CancelledNotification",
      { requestId: 7, reason: "too slow" },
      // One revision lets it be absent, and there is nothing to do about such a message but to ignore it.
      { required: [] },
    ),
    notification<ProgressParams>(
      `${sender} notifications/progress`,
      "ProgressNotification",
      { progressToken: "t", progress: 0.5, total: 1, message: "half", _meta: { x: 1 } },
      { required: ["progressToken", "progress"] },
    ),
  ]),
];
