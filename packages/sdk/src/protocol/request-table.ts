/** Every request of every revision, as data. A method that changed what it needs has one row per form. */
import type { RequestSpec, Sender } from "./method-spec.js";
import type { LegacyRevision, Revision } from "./revisions.js";
import { LATEST_LEGACY_REVISION } from "./revisions.js";
import { jsonObject } from "./shape.js";
import { completeParamsShape, completeResultShape } from "./shapes/completion.js";
import { contentBlockShape, resourceContentsShape } from "./shapes/content.js";
import { elicitParamsShape, elicitResultShape } from "./shapes/elicitation.js";
import { discoverResultShape, initializeParamsShape, initializeResultShape } from "./shapes/lifecycle.js";
import { setLevelParamsShape } from "./shapes/logging.js";
import { emptyParamsShape, emptyResultShape, pageParamsShape } from "./shapes/message-base.js";
import {
  getPromptParamsShape,
  getPromptResultShape,
  listPromptsResultShape,
  promptMessageShape,
  promptShape,
} from "./shapes/prompts.js";
import {
  listResourcesResultShape,
  listResourceTemplatesResultShape,
  readResourceParamsShape,
  readResourceResultShape,
  resourceShape,
  resourceTemplateShape,
  subscribeParamsShape,
} from "./shapes/resources.js";
import { listRootsResultShape } from "./shapes/roots.js";
import { createMessageParamsShape, createMessageResultShape } from "./shapes/sampling.js";
import { subscriptionsListenParamsShape, subscriptionsListenResultShape } from "./shapes/subscriptions.js";
import { listTasksResultShape, taskParamsShape, taskResultShape } from "./shapes/tasks.js";
import { toolShape } from "./shapes/tool.js";
import { callToolParamsShape, callToolResultShape, listToolsResultShape } from "./shapes/tools.js";

const FIRST: Revision = "2024-11-05";
const MODERN: Revision = "2026-07-28";
const LAST_LEGACY: LegacyRevision = LATEST_LEGACY_REVISION;

const lasting = { sender: "client", since: FIRST, cacheable: false, mayRequireInput: false } as const;
const legacy = { ...lasting, until: LAST_LEGACY } as const;
const modern = { ...lasting, since: MODERN } as const;
const fromServer = { ...legacy, sender: "server" } as const;

const clientRequests: readonly RequestSpec[] = [
  {
    ...legacy,
    method: "initialize",
    params: initializeParamsShape,
    result: initializeResultShape,
    resultFields: ["protocolVersion", "capabilities", "serverInfo"],
  },
  {
    ...modern,
    method: "server/discover",
    cacheable: true,
    params: emptyParamsShape,
    result: discoverResultShape,
    resultFields: ["supportedVersions", "capabilities"],
  },
  { ...legacy, method: "ping", params: emptyParamsShape, result: emptyResultShape, resultFields: [] },
  {
    ...lasting,
    method: "tools/list",
    capability: "tools",
    cacheable: true,
    params: pageParamsShape,
    result: listToolsResultShape,
    items: { field: "tools", shape: toolShape },
    resultFields: ["tools"],
  },
  {
    ...lasting,
    method: "tools/call",
    capability: "tools",
    mayRequireInput: true,
    params: callToolParamsShape,
    result: callToolResultShape,
    items: { field: "content", shape: contentBlockShape, isAnswer: true, besides: "structuredContent" },
    resultFields: ["content"],
  },
  {
    ...lasting,
    method: "resources/list",
    capability: "resources",
    cacheable: true,
    params: pageParamsShape,
    result: listResourcesResultShape,
    items: { field: "resources", shape: resourceShape },
    resultFields: ["resources"],
  },
  {
    ...lasting,
    method: "resources/templates/list",
    capability: "resources",
    cacheable: true,
    params: pageParamsShape,
    result: listResourceTemplatesResultShape,
    items: { field: "resourceTemplates", shape: resourceTemplateShape },
    resultFields: ["resourceTemplates"],
  },
  {
    ...lasting,
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
    ...legacy,
    ...row,
    params: subscribeParamsShape,
    result: emptyResultShape,
    resultFields: [],
  })),
  {
    ...modern,
    method: "subscriptions/listen",
    params: subscriptionsListenParamsShape,
    result: subscriptionsListenResultShape,
    resultFields: ["_meta"],
  },
  {
    ...lasting,
    method: "prompts/list",
    capability: "prompts",
    cacheable: true,
    params: pageParamsShape,
    result: listPromptsResultShape,
    items: { field: "prompts", shape: promptShape },
    resultFields: ["prompts"],
  },
  {
    ...lasting,
    method: "prompts/get",
    capability: "prompts",
    mayRequireInput: true,
    params: getPromptParamsShape,
    result: getPromptResultShape,
    items: { field: "messages", shape: promptMessageShape, isAnswer: true },
    resultFields: ["messages"],
  },
  {
    ...legacy,
    method: "completion/complete",
    until: "2024-11-05",
    params: completeParamsShape,
    result: completeResultShape,
    resultFields: ["completion"],
  },
  {
    ...lasting,
    method: "completion/complete",
    since: "2025-03-26",
    capability: "completions",
    params: completeParamsShape,
    result: completeResultShape,
    resultFields: ["completion"],
  },
  {
    ...legacy,
    method: "logging/setLevel",
    capability: "logging",
    params: setLevelParamsShape,
    result: emptyResultShape,
    resultFields: [],
  },
  ...taskRequests("client"),
];

const serverRequests: readonly RequestSpec[] = [
  { ...fromServer, method: "ping", params: emptyParamsShape, result: emptyResultShape, resultFields: [] },
  {
    ...fromServer,
    method: "sampling/createMessage",
    capability: "sampling",
    params: createMessageParamsShape,
    result: createMessageResultShape,
    resultFields: ["role", "content", "model"],
  },
  {
    ...fromServer,
    method: "roots/list",
    capability: "roots",
    params: emptyParamsShape,
    result: listRootsResultShape,
    resultFields: ["roots"],
  },
  {
    ...fromServer,
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
export const REQUESTS: readonly RequestSpec[] = [...clientRequests, ...serverRequests];

/** Tasks run on either side, in 2025-11-25 alone. */
function taskRequests(sender: Sender): readonly RequestSpec[] {
  const task = { ...legacy, sender, since: LAST_LEGACY, params: taskParamsShape } as const;
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
