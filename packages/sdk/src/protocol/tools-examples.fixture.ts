/** Examples of tools and of every content block. */

import type { Example } from "./example.fixture.js";
import { notification, params, part, result } from "./example.fixture.js";
import type { InputRequiredResult } from "./input-required.js";
import { inputRequiredResultShape } from "./input-required.js";
import type { NotificationParams } from "./message-base.js";
import type { CreateTaskResult } from "./tasks.js";
import { createTaskResultShape } from "./tasks.js";
import type { CallToolParams, CallToolResult, ListToolsParams, ListToolsResult } from "./tools.js";

export const toolsExamples: readonly Example[] = [
  params<ListToolsParams | undefined>("client tools/list", "ListToolsRequest", undefined),
  params<ListToolsParams>("client tools/list", "ListToolsRequest", { cursor: "", _meta: { progressToken: "p" } }),
  result<ListToolsResult>(
    "client tools/list",
    "ListToolsResult",
    { tools: [{ name: "add", description: "Adds", inputSchema: { type: "object" } }], nextCursor: "2" },
    { required: ["tools", "tools[0].name", "tools[0].inputSchema"], open: ["tools[0].inputSchema.*"] },
  ),
  result<ListToolsResult>(
    "client tools/list",
    "ListToolsResult",
    {
      tools: [
        {
          name: "add",
          title: "Add",
          inputSchema: { type: "object" },
          outputSchema: { type: "object" },
          annotations: {
            title: "Add",
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
          icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["any"], theme: "light" }],
          execution: { taskSupport: "optional" },
          _meta: { x: 1 },
        },
      ],
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    },
    {
      since: "2025-11-25",
      required: ["tools", "tools[0].name", "tools[0].inputSchema", "tools[0].icons[0].src"],
      open: ["tools[0].inputSchema.*", "tools[0].outputSchema.*"],
    },
  ),
  params<CallToolParams>(
    "client tools/call",
    "CallToolRequest",
    { name: "add", arguments: { a: 1, b: { c: null } } },
    { required: ["name"], open: ["arguments.*"] },
  ),
  params<CallToolParams>(
    "client tools/call",
    "CallToolRequest",
    { name: "add", task: { ttl: 1000 } },
    { since: "2025-11-25", required: ["name"] },
  ),
  params<CallToolParams>(
    "client tools/call",
    "CallToolRequest",
    {
      name: "add",
      inputResponses: {
        form: { action: "accept", content: { text: "t", count: 2, sure: true, many: ["a"] } },
        dirs: { roots: [{ uri: "file:///a", name: "a" }] },
        model: { role: "assistant", content: { type: "text", text: "hi" }, model: "m", stopReason: "endTurn" },
      },
      requestState: "sealed",
    },
    {
      since: "2026-07-28",
      required: [
        "name",
        ["inputResponses.form.action", "inputResponses.form"],
        ["inputResponses.dirs.roots", "inputResponses.dirs"],
        "inputResponses.dirs.roots[0].uri",
        "inputResponses.model.role",
        "inputResponses.model.content",
        "inputResponses.model.content.type",
        "inputResponses.model.content.text",
        ["inputResponses.model.model", "inputResponses.model"],
      ],
    },
  ),
  result<CallToolResult>(
    "client tools/call",
    "CallToolResult",
    {
      content: [
        { type: "text", text: "3", annotations: { audience: ["user", "assistant"], priority: 0.5 } },
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "resource", resource: { uri: "a:b", text: "t", mimeType: "text/plain" } },
        { type: "resource", resource: { uri: "a:c", blob: "AA==" } },
      ],
      isError: false,
      _meta: { x: 1 },
    },
    {
      required: [
        "content",
        "content[0].type",
        "content[0].text",
        "content[1].type",
        "content[1].data",
        "content[1].mimeType",
        "content[2].type",
        "content[2].resource",
        "content[2].resource.uri",
        ["content[2].resource.text", "content[2].resource"],
        "content[3].type",
        "content[3].resource",
        "content[3].resource.uri",
        ["content[3].resource.blob", "content[3].resource"],
      ],
    },
  ),
  result<CallToolResult>(
    "client tools/call",
    "CallToolResult",
    { content: [{ type: "audio", data: "AA==", mimeType: "audio/wav", annotations: { priority: 1 } }] },
    { since: "2025-03-26", required: ["content", "content[0].type", "content[0].data", "content[0].mimeType"] },
  ),
  result<CallToolResult>(
    "client tools/call",
    "CallToolResult",
    {
      content: [
        {
          type: "resource_link",
          uri: "a:b",
          name: "b",
          title: "B",
          description: "d",
          mimeType: "text/plain",
          size: 12,
          annotations: { lastModified: "2026-01-01T00:00:00Z" },
          _meta: { x: 1 },
        },
      ],
      structuredContent: { sum: 3 },
    },
    {
      since: "2025-06-18",
      required: ["content", "content[0].type", "content[0].uri", "content[0].name"],
      open: ["structuredContent"],
    },
  ),
  result<CallToolResult>(
    "client tools/call",
    "CallToolResult",
    { content: [], structuredContent: [1, "two", null] },
    { since: "2026-07-28", required: ["content"], open: ["structuredContent"] },
  ),
  notification<NotificationParams>("server notifications/tools/list_changed", "ToolListChangedNotification", {
    _meta: {},
  }),
  part<InputRequiredResult>(
    "InputRequiredResult",
    inputRequiredResultShape,
    {
      resultType: "input_required",
      requestState: "sealed",
      inputRequests: {
        form: {
          method: "elicitation/create",
          params: { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
        },
        page: { method: "elicitation/create", params: { mode: "url", message: "Sign in", url: "https://example.com" } },
        model: { method: "sampling/createMessage", params: { messages: [], maxTokens: 10 } },
        dirs: { method: "roots/list" },
      },
      _meta: { x: 1 },
    },
    {
      since: "2026-07-28",
      required: [
        "resultType",
        "inputRequests.form.method",
        "inputRequests.form.params",
        "inputRequests.form.params.message",
        "inputRequests.form.params.requestedSchema",
        "inputRequests.form.params.requestedSchema.type",
        "inputRequests.form.params.requestedSchema.properties",
        "inputRequests.page.method",
        "inputRequests.page.params",
        ["inputRequests.page.params.mode", "inputRequests.page.params.requestedSchema"],
        "inputRequests.page.params.message",
        "inputRequests.page.params.url",
        "inputRequests.model.method",
        "inputRequests.model.params",
        "inputRequests.model.params.messages",
        "inputRequests.model.params.maxTokens",
        "inputRequests.dirs.method",
      ],
      open: ["inputRequests.form.params.requestedSchema.properties.name.*"],
    },
  ),
  part<CreateTaskResult>(
    "CreateTaskResult",
    createTaskResultShape,
    { task: { taskId: "1", status: "working", createdAt: "2026", lastUpdatedAt: "2026", ttl: null } },
    {
      since: "2025-11-25",
      until: "2025-11-25",
      required: ["task", "task.taskId", "task.status", "task.createdAt", "task.lastUpdatedAt", "task.ttl"],
    },
  ),
];
