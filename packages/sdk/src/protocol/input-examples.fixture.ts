/** Examples of what a server asks of a client: sampling, elicitation and roots. */
import type { ElicitationCompleteParams, ElicitParams, ElicitResult } from "./elicitation.js";
import type { Example } from "./example.fixture.js";
import { notification, params, result } from "./example.fixture.js";
import type { NotificationParams } from "./message-base.js";
import type { ListRootsParams, ListRootsResult } from "./roots.js";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.js";

const CREATE_MESSAGE = "server sampling/createMessage";
const ELICIT = "server elicitation/create";

export const inputExamples: readonly Example[] = [
  params<CreateMessageParams>(
    CREATE_MESSAGE,
    "CreateMessageRequest",
    {
      messages: [
        { role: "user", content: { type: "text", text: "hi" } },
        { role: "user", content: { type: "image", data: "AA==", mimeType: "image/png" } },
      ],
      maxTokens: 100,
      systemPrompt: "Be brief.",
      modelPreferences: { hints: [{ name: "m" }], costPriority: 0.1, speedPriority: 0.2, intelligencePriority: 0.3 },
      includeContext: "none",
      temperature: 0.7,
      stopSequences: ["END"],
      metadata: { x: 1 },
    },
    {
      required: [
        "messages",
        "messages[0].role",
        "messages[0].content",
        "messages[0].content.type",
        "messages[0].content.text",
        "messages[1].role",
        "messages[1].content",
        "messages[1].content.type",
        "messages[1].content.data",
        "messages[1].content.mimeType",
        "maxTokens",
      ],
      open: ["metadata.*"],
    },
  ),
  params<CreateMessageParams>(
    CREATE_MESSAGE,
    "CreateMessageRequest",
    {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "add", input: { a: 1 }, _meta: { x: 1 } }] },
        {
          role: "user",
          content: {
            type: "tool_result",
            toolUseId: "1",
            content: [{ type: "text", text: "3" }],
            structuredContent: { sum: 3 },
            isError: false,
            _meta: { x: 1 },
          },
          _meta: { x: 1 },
        },
        { role: "user", content: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }] },
      ],
      maxTokens: 100,
      tools: [{ name: "add", inputSchema: { type: "object" } }],
      toolChoice: { mode: "auto" },
      task: { ttl: 10 },
    },
    {
      since: "2025-11-25",
      required: [
        "messages",
        "messages[0].role",
        "messages[0].content",
        "messages[0].content[0].type",
        "messages[0].content[0].id",
        "messages[0].content[0].name",
        "messages[0].content[0].input",
        "messages[1].role",
        "messages[1].content",
        "messages[1].content.type",
        "messages[1].content.toolUseId",
        "messages[1].content.content",
        "messages[1].content.content[0].type",
        "messages[1].content.content[0].text",
        "messages[2].role",
        "messages[2].content",
        "messages[2].content[0].type",
        "messages[2].content[0].data",
        "messages[2].content[0].mimeType",
        "maxTokens",
        "tools[0].name",
        "tools[0].inputSchema",
      ],
      open: ["messages[0].content[0].input.*", "messages[1].content.structuredContent", "tools[0].inputSchema.*"],
    },
  ),
  result<CreateMessageResult>(
    CREATE_MESSAGE,
    "CreateMessageResult",
    { role: "assistant", content: { type: "text", text: "hi" }, model: "m", stopReason: "endTurn", _meta: { x: 1 } },
    { required: ["role", "content", "content.type", "content.text", "model"] },
  ),
  params<ElicitParams>(
    ELICIT,
    "ElicitRequest",
    {
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
    {
      required: ["message", "requestedSchema", "requestedSchema.type", "requestedSchema.properties"],
      open: ["requestedSchema.properties.name.*"],
    },
  ),
  params<ElicitParams>(
    ELICIT,
    "ElicitRequest",
    {
      mode: "form",
      message: "Who?",
      requestedSchema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} },
      task: { ttl: 1 },
    },
    {
      since: "2025-11-25",
      required: ["message", "requestedSchema", "requestedSchema.type", "requestedSchema.properties"],
    },
  ),
  params<ElicitParams>(
    ELICIT,
    "ElicitRequest",
    { mode: "url", message: "Sign in", url: "https://example.com", elicitationId: "e", task: { ttl: 1 } },
    {
      since: "2025-11-25",
      required: [["mode", "requestedSchema"], "message", "url"],
      // Inside `input_required` it is gone.
      lenient: ["elicitationId"],
    },
  ),
  result<ElicitResult>(
    ELICIT,
    "ElicitResult",
    { action: "accept", content: { text: "t", count: 2, sure: true } },
    { required: ["action"] },
  ),
  result<ElicitResult>(
    ELICIT,
    "ElicitResult",
    { action: "accept", content: { many: ["a", "b"] } },
    { required: ["action"], since: "2025-11-25" },
  ),
  result<ElicitResult>(ELICIT, "ElicitResult", { action: "decline" }, { required: ["action"] }),
  notification<ElicitationCompleteParams>(
    "server notifications/elicitation/complete",
    "ElicitationCompleteNotification",
    { elicitationId: "e" },
    { required: ["elicitationId"] },
  ),
  params<ListRootsParams | undefined>("server roots/list", "ListRootsRequest", undefined),
  result<ListRootsResult>(
    "server roots/list",
    "ListRootsResult",
    { roots: [{ uri: "file:///a", name: "a", _meta: { x: 1 } }] },
    { required: ["roots", "roots[0].uri"] },
  ),
  notification<NotificationParams | undefined>(
    "client notifications/roots/list_changed",
    "RootsListChangedNotification",
    undefined,
  ),
];
