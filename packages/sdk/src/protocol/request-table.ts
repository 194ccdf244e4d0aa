/** Every request of every revision, as data. A method whose params or capability changed has one row per form. */

import { completeParamsShape, completeResultShape } from "./completion.js";
import { contentBlockShape, resourceContentsShape } from "./content.js";
import { elicitParamsShape, elicitResultShape } from "./elicitation.js";
import { discoverResultShape, initializeParamsShape, initializeResultShape } from "./lifecycle.js";
import { setLevelParamsShape } from "./logging.js";
import { emptyParamsShape, emptyResultShape, pageParamsShape } from "./message-base.js";
import type { MethodSender, RequestSpec } from "./method-spec.js";
import {
  getPromptParamsShape,
  getPromptResultShape,
  listPromptsResultShape,
  promptMessageShape,
  promptShape,
} from "./prompts.js";
import {
  listResourcesResultShape,
  listResourceTemplatesResultShape,
  readResourceParamsShape,
  readResourceResultShape,
  resourceShape,
  resourceTemplateShape,
  subscribeParamsShape,
} from "./resources.js";
import type { LegacyRevision, Revision } from "./revisions.js";
import { LATEST_LEGACY_REVISION } from "./revisions.js";
import { listRootsResultShape } from "./roots.js";
import { createMessageParamsShape, createMessageResultShape } from "./sampling.js";
import { jsonObject } from "./shape.js";
import { subscriptionsListenParamsShape, subscriptionsListenResultShape } from "./subscriptions.js";
import { listTasksResultShape, taskParamsShape, taskResultShape } from "./tasks.js";
import { toolShape } from "./tool-shape.js";
import { callToolParamsShape, callToolResultShape, listToolsResultShape } from "./tools.js";

const FIRST: Revision = "2024-11-05";
const MODERN: Revision = "2026-07-28";
const LAST_LEGACY: LegacyRevision = LATEST_LEGACY_REVISION;

const ALL_REVISIONS = { sender: "client", since: FIRST, cacheable: false, mayRequireInput: false } as const;
const LEGACY_ONLY = { ...ALL_REVISIONS, until: LAST_LEGACY } as const;
const MODERN_ONLY = { ...ALL_REVISIONS, since: MODERN } as const;
const LEGACY_FROM_SERVER = { ...LEGACY_ONLY, sender: "server" } as const;

const CLIENT_REQUESTS: readonly RequestSpec[] = [
  {
    ...LEGACY_ONLY,
    method: "initialize",
    params: initializeParamsShape,
    result: initializeResultShape,
    resultFields: ["protocolVersion", "capabilities", "serverInfo"],
  },
  {
    ...MODERN_ONLY,
    method: "server/discover",
    cacheable: true,
    params: emptyParamsShape,
    result: discoverResultShape,
    resultFields: ["supportedVersions", "capabilities"],
  },
  { ...LEGACY_ONLY, method: "ping", params: emptyParamsShape, result: emptyResultShape, resultFields: [] },
  {
    ...ALL_REVISIONS,
    method: "tools/list",
    capability: "tools",
    cacheable: true,
    params: pageParamsShape,
    result: listToolsResultShape,
    items: { field: "tools", shape: toolShape },
    resultFields: ["tools"],
  },
  {
    ...ALL_REVISIONS,
    method: "tools/call",
    capability: "tools",
    mayRequireInput: true,
    params: callToolParamsShape,
    result: callToolResultShape,
    items: { field: "content", shape: contentBlockShape, isAnswer: true, besides: "structuredContent" },
    resultFields: ["content"],
  },
  {
    ...ALL_REVISIONS,
    method: "resources/list",
    capability: "resources",
    cacheable: true,
    params: pageParamsShape,
    result: listResourcesResultShape,
    items: { field: "resources", shape: resourceShape },
    resultFields: ["resources"],
  },
  {
    ...ALL_REVISIONS,
    method: "resources/templates/list",
    capability: "resources",
    cacheable: true,
    params: pageParamsShape,
    result: listResourceTemplatesResultShape,
    items: { field: "resourceTemplates", shape: resourceTemplateShape },
    resultFields: ["resourceTemplates"],
  },
  {
    ...ALL_REVISIONS,
    method: "resources/read",
    capability: "resources",
    cacheable: true,
    mayRequireInput: true,
    params: readResourceParamsShape,
    result: readResourceResultShape,
    items: { field: "contents", shape: resourceContentsShape, isAnswer: true },
    resultFields: ["contents"],
  },
  ...[
    { method: "resources/subscribe", capability: "resources.subscribe" },
    // A server may stop to announce updates, and the subscriptions it has can still be ended.
    { method: "resources/unsubscribe", capability: "resources" },
  ].map((row) => ({
    ...LEGACY_ONLY,
    ...row,
    params: subscribeParamsShape,
    result: emptyResultShape,
    resultFields: [],
  })),
  {
    ...MODERN_ONLY,
    method: "subscriptions/listen",
    params: subscriptionsListenParamsShape,
    result: subscriptionsListenResultShape,
    resultFields: ["_meta"],
  },
  {
    ...ALL_REVISIONS,
    method: "prompts/list",
    capability: "prompts",
    cacheable: true,
    params: pageParamsShape,
    result: listPromptsResultShape,
    items: { field: "prompts", shape: promptShape },
    resultFields: ["prompts"],
  },
  {
    ...ALL_REVISIONS,
    method: "prompts/get",
    capability: "prompts",
    mayRequireInput: true,
    params: getPromptParamsShape,
    result: getPromptResultShape,
    items: { field: "messages", shape: promptMessageShape, isAnswer: true },
    resultFields: ["messages"],
  },
  {
    ...LEGACY_ONLY,
    method: "completion/complete",
    until: "2024-11-05",
    params: completeParamsShape,
    result: completeResultShape,
    resultFields: ["completion"],
  },
  {
    ...ALL_REVISIONS,
    method: "completion/complete",
    since: "2025-03-26",
    capability: "completions",
    params: completeParamsShape,
    result: completeResultShape,
    resultFields: ["completion"],
  },
  {
    ...LEGACY_ONLY,
    method: "logging/setLevel",
    capability: "logging",
    params: setLevelParamsShape,
    result: emptyResultShape,
    resultFields: [],
  },
  ...taskRequests("client"),
];

const SERVER_REQUESTS: readonly RequestSpec[] = [
  { ...LEGACY_FROM_SERVER, method: "ping", params: emptyParamsShape, result: emptyResultShape, resultFields: [] },
  {
    ...LEGACY_FROM_SERVER,
    method: "sampling/createMessage",
    capability: "sampling",
    params: createMessageParamsShape,
    result: createMessageResultShape,
    resultFields: ["role", "content", "model"],
  },
  {
    ...LEGACY_FROM_SERVER,
    method: "roots/list",
    capability: "roots",
    params: emptyParamsShape,
    result: listRootsResultShape,
    resultFields: ["roots"],
  },
  {
    ...LEGACY_FROM_SERVER,
    method: "elicitation/create",
    since: "2025-06-18",
    capability: "elicitation",
    params: elicitParamsShape,
    result: elicitResultShape,
    resultFields: ["action"],
  },
  ...taskRequests("server"),
];

/** Every request of every revision. */
export const REQUESTS: readonly RequestSpec[] = [...CLIENT_REQUESTS, ...SERVER_REQUESTS];

/** Tasks run on either side, in 2025-11-25 alone. */
function taskRequests(sender: MethodSender): readonly RequestSpec[] {
  const task = { ...LEGACY_ONLY, sender, since: LAST_LEGACY, params: taskParamsShape } as const;
  const resultFields = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"];
  return [
    { ...task, method: "tasks/get", capability: "tasks", result: taskResultShape, resultFields },
    // The payload is the result of the request that became the task.
    { ...task, method: "tasks/result", capability: "tasks", result: jsonObject, resultFields: [] },
    { ...task, method: "tasks/cancel", capability: "tasks.cancel", result: taskResultShape, resultFields },
    {
      ...task,
      method: "tasks/list",
      capability: "tasks.list",
      params: pageParamsShape,
      result: listTasksResultShape,
      resultFields: ["tasks"],
    },
  ];
}
