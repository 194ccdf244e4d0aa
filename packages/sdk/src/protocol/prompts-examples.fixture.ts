/** Examples of prompts and completion. */
import type { CompleteParams, CompleteResult } from "./completion.js";
import type { Example } from "./example.fixture.js";
import { notification, params, result } from "./example.fixture.js";
import type { NotificationParams } from "./message-base.js";
import type { GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult } from "./prompts.js";

const completeRequired = ["ref", "ref.type", "argument", "argument.name", "argument.value"];

export const promptsExamples: readonly Example[] = [
  params<ListPromptsParams>("client prompts/list", "ListPromptsRequest", { cursor: "1" }),
  result<ListPromptsResult>(
    "client prompts/list",
    "ListPromptsResult",
    { prompts: [{ name: "p", description: "d", arguments: [{ name: "a", description: "d", required: true }] }] },
    { required: ["prompts", "prompts[0].name", "prompts[0].arguments[0].name"] },
  ),
  result<ListPromptsResult>(
    "client prompts/list",
    "ListPromptsResult",
    {
      prompts: [
        {
          name: "p",
          title: "P",
          arguments: [{ name: "a", title: "A" }],
          icons: [{ src: "https://example.com/i.png" }],
          _meta: { x: 1 },
        },
      ],
      nextCursor: "2",
    },
    {
      since: "2025-11-25",
      required: ["prompts", "prompts[0].name", "prompts[0].arguments[0].name", "prompts[0].icons[0].src"],
    },
  ),
  params<GetPromptParams>(
    "client prompts/get",
    "GetPromptRequest",
    { name: "p", arguments: { a: "1" } },
    { required: ["name"] },
  ),
  params<GetPromptParams>(
    "client prompts/get",
    "GetPromptRequest",
    { name: "p", requestState: "sealed" },
    { required: ["name"], since: "2026-07-28" },
  ),
  result<GetPromptResult>(
    "client prompts/get",
    "GetPromptResult",
    { description: "d", messages: [{ role: "user", content: { type: "text", text: "hi" } }] },
    {
      required: [
        "messages",
        "messages[0].role",
        "messages[0].content",
        "messages[0].content.type",
        "messages[0].content.text",
      ],
    },
  ),
  notification<NotificationParams | undefined>(
    "server notifications/prompts/list_changed",
    "PromptListChangedNotification",
    undefined,
  ),
  params<CompleteParams>(
    "client completion/complete",
    "CompleteRequest",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
    { required: [...completeRequired, "ref.name"] },
  ),
  params<CompleteParams>(
    "client completion/complete",
    "CompleteRequest",
    {
      ref: { type: "ref/prompt", name: "p", title: "P" },
      argument: { name: "a", value: "v" },
      context: { arguments: { b: "1" } },
    },
    { required: [...completeRequired, "ref.name"], since: "2025-06-18" },
  ),
  params<CompleteParams>(
    "client completion/complete",
    "CompleteRequest",
    { ref: { type: "ref/resource", uri: "a:{b}" }, argument: { name: "b", value: "v" } },
    { required: [...completeRequired, "ref.uri"] },
  ),
  result<CompleteResult>(
    "client completion/complete",
    "CompleteResult",
    { completion: { values: ["one"], total: 3, hasMore: true } },
    { required: ["completion", "completion.values"] },
  ),
];
