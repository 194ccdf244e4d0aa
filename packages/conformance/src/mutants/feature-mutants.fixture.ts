/** Faults of features: lists, tools, resources, prompts, completion and logging. */
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import {
  type Mutant,
  metaOf,
  onBlock,
  onError,
  onItem,
  onLastItem,
  onMethod,
  onNotification,
  onResult,
  paramsOf,
  refusing,
  serving,
  without,
} from "./fault-makers.fixture.js";
import type { Incoming } from "./scripted-server.fixture.js";

const LISTS = [
  { list: "tools", method: "tools/list", member: "tools", key: "name" },
  { list: "resources", method: "resources/list", member: "resources", key: "uri" },
  { list: "templates", method: "resources/templates/list", member: "resourceTemplates", key: "uriTemplate" },
  { list: "prompts", method: "prompts/list", member: "prompts", key: "name" },
];

const everyList: readonly Mutant[] = LISTS.flatMap(({ list, method, member }): Mutant[] => [
  onResult(`${list}-list-shape`, method, (result) => {
    if (Array.isArray(result[member])) result[member].push("odd");
  }),
  onLastItem(`${list}-list-names`, method, member, (item) => {
    item.name = undefined;
  }),
  onResult(`${list}-list-unique`, method, (result) => {
    if (Array.isArray(result[member]) && result.nextCursor === undefined) result[member].push(result[member][0]);
  }),
  { ...without(`${list}-cursor-unknown`, `cursor ${member}`) },
  without(`${list}-cursor-type`, `cursor ${member}`, `cursor type ${member}`),
  onResult(`${list}-pages-end`, method, (result) => {
    result.nextCursor ??= "from-2";
  }),
  onResult(`${list}-pages-nonempty`, method, (result) => {
    if (result.nextCursor !== undefined) result[member] = [];
  }),
  onItem(`${list}-titles`, method, member, (item) => {
    item.title = 7;
  }),
  onItem(`${list}-icons`, method, member, (item) => {
    item.icons = [{ src: "javascript:alert(1)" }];
  }),
]).map((mutant) =>
  mutant.check.endsWith("-cursor-type") ? { ...mutant, also: [mutant.check.replace("type", "unknown")] } : mutant,
);

/** A change of the properties of the second tool, which no call uses. */
function onProperties(check: string, properties: JsonObject): Mutant {
  return onResult(check, "tools/list", ({ tools }) => {
    const tool = Array.isArray(tools)
      ? tools.find((candidate) => isObject(candidate) && candidate.name === "weather")
      : undefined;
    if (isObject(tool)) tool.inputSchema = { type: "object", properties };
  });
}

function onLastResource(check: string, change: (item: JsonObject) => void): Mutant {
  return onLastItem(check, "resources/list", "resources", change);
}

let isReversed = false;

const items: readonly Mutant[] = [
  {
    ...onResult("tools-list-order", "tools/list", (result, incoming) => {
      if (paramsOf(incoming).cursor !== undefined || !Array.isArray(result.tools)) return;
      isReversed = !isReversed;
      if (isReversed) result.tools.reverse();
    }),
    also: ["lists-same-for-all"],
  },
  onItem("tools-input-schema", "tools/list", "tools", (tool) => {
    delete tool.inputSchema;
  }),
  { ...onProperties("tools-schema-members", { a: 7 }), also: ["tools-input-schema-valid"] },
  {
    ...onItem("tools-output-schema", "tools/list", "tools", (tool) => {
      tool.outputSchema = "object";
    }),
    also: ["tools-output-schema-valid"],
  },
  onItem("tools-input-schema-valid", "tools/list", "tools", (tool) => {
    tool.inputSchema = { ...(tool.inputSchema as JsonObject), additionalProperties: "none" };
  }),
  {
    ...onLastItem("tools-output-schema-valid", "tools/list", "tools", (tool) => {
      tool.outputSchema = { type: "any" };
    }),
    also: ["tool-structured-present"],
  },
  onLastItem("tools-name-characters", "tools/list", "tools", (tool) => {
    tool.name = "make noise";
  }),
  onItem("tools-annotations", "tools/list", "tools", (tool) => {
    tool.annotations = { readOnlyHint: "yes" };
  }),
  onProperties("tools-header-tokens", { a: { type: "string", "x-mcp-header": "Re gion" } }),
  onProperties("tools-header-unique", {
    a: { type: "string", "x-mcp-header": "Region" },
    b: { type: "string", "x-mcp-header": "region" },
  }),
  onProperties("tools-header-types", { a: { type: "number", "x-mcp-header": "Region" } }),
  onLastResource("resources-uris", (resource) => {
    resource.uri = "no uri";
  }),
  onLastResource("resources-sizes", (resource) => {
    resource.size = -1;
  }),
  onLastResource("resources-mime-types", (resource) => {
    resource.mimeType = "plain";
  }),
  onLastResource("resources-annotations", (resource) => {
    resource.annotations = { priority: 7 };
  }),
  onLastItem("templates-syntax", "resources/templates/list", "resourceTemplates", (template) => {
    template.uriTemplate = "page://{number";
  }),
  onItem("templates-mime-types", "resources/templates/list", "resourceTemplates", (template) => {
    template.mimeType = "plain";
  }),
  onItem("prompts-arguments", "prompts/list", "prompts", (prompt) => {
    prompt.arguments = [{ description: "nameless" }];
  }),
  onItem("prompts-required-flags", "prompts/list", "prompts", (prompt) => {
    prompt.arguments = [{ name: "mood", required: "no" }];
  }),
  onResult("cursor-strings", "prompts/list", (result) => {
    if (result.nextCursor !== undefined) result.nextCursor = 2;
  }),
];

function calls(name: unknown): (incoming: Incoming) => boolean {
  return (incoming) => incoming.message?.method === "tools/call" && paramsOf(incoming).name === name;
}

/** A change of the results of one tool. */
function onCall(check: string, name: string, change: (result: JsonObject, incoming: Incoming) => void): Mutant {
  return onResult(check, "tools/call", (result, incoming) => {
    if (calls(name)(incoming)) change(result, incoming);
  });
}

/** Silence for the third of equal calls in a row. */
function silentAtThird(check: string): Mutant {
  let last = "";
  let count = 0;
  return {
    check,
    change(reply, { message, headers }) {
      const asked = JSON.stringify([{ ...message, id: 0 }, headers["mcp-param-region"]]);
      const isCall = message?.method === "tools/call" && isObject(message.params) && message.params.name === "echo";
      count = asked === last && isCall ? count + 1 : 1;
      last = asked;
      if (count === 3) reply.messages = [];
    },
  };
}

const PROGRESS = "notifications/progress";

const tools: readonly Mutant[] = [
  { ...without("tool-unknown", "tool name"), also: ["tool-prototype-name"] },
  serving("tool-name-missing", calls(undefined), { content: [] }),
  serving("tool-prototype-name", calls("constructor"), { content: [] }),
  serving("tool-arguments-type", (incoming) => Array.isArray(paramsOf(incoming).arguments), { content: [] }),
  without("tool-invalid-arguments", "arguments"),
  without("tool-invalid-params", "arguments"),
  {
    ...refusing("tool-task-param-ignored", (incoming) => "task" in paramsOf(incoming)),
    setup: { lacks: ["tasks"] },
  },
  onCall("tool-result-content", "echo", (result) => {
    result.content = "hello";
  }),
  onBlock("tool-content-text", "text", (block) => {
    block.text = 7;
  }),
  onBlock("tool-content-image", "image", (block) => {
    block.data = "%%%";
  }),
  onBlock("tool-content-audio", "audio", (block) => {
    delete block.mimeType;
  }),
  onBlock("tool-content-resource-link", "resource_link", (block) => {
    delete block.uri;
  }),
  onBlock("tool-content-resource", "resource", (block) => {
    block.resource = { uri: "note://text" };
  }),
  onCall("tool-content-types", "echo", ({ content }) => {
    if (Array.isArray(content)) content.push({ type: "video" });
  }),
  onCall("tool-is-error-boolean", "weather", (result) => {
    result.isError = "no";
  }),
  onCall("tool-structured-present", "weather", (result) => {
    delete result.structuredContent;
  }),
  onCall("tool-structured-valid", "weather", (result) => {
    result.structuredContent = { celsius: "7" };
  }),
  onCall("tool-structured-mirrored", "weather", (result) => {
    result.content = [];
  }),
  refusing(
    "tool-no-arguments",
    (incoming) => calls("weather")(incoming) && !("arguments" in paramsOf(incoming)),
    -32602,
  ),
  { ...silentAtThird("tool-calls-at-once"), also: ["answer-media-type"] },
  onNotification("progress-token", PROGRESS, (params) => {
    params.progressToken = "another";
  }),
  onNotification("progress-rises", PROGRESS, (params) => {
    params.progress = 1;
  }),
  onMethod("progress-before-answer", "tools/call", ({ messages }) => {
    const [first] = messages;
    if (!isObject(first) || first.method !== PROGRESS || !isObject(first.params)) return;
    messages.push({ ...first, params: { ...first.params, progress: 4 } });
  }),
  onMethod("progress-unasked", "tools/call", (reply, incoming) => {
    if (!calls("noisy")(incoming) || "progressToken" in metaOf(incoming)) return;
    reply.isStream = true;
    reply.messages.unshift({ jsonrpc: "2.0", method: PROGRESS, params: { progressToken: 0, progress: 1 } });
  }),
];

const UNKNOWN_URI = "parley-check://no-such-resource";

function reads(uri: unknown): (incoming: Incoming) => boolean {
  return (incoming) => incoming.message?.method === "resources/read" && paramsOf(incoming).uri === uri;
}

/** A change of the contents of one resource. */
function onContents(check: string, uri: string, change: (contents: JsonObject) => void): Mutant {
  return onResult(check, "resources/read", ({ contents }, incoming) => {
    const [first] = Array.isArray(contents) ? contents : [];
    if (reads(uri)(incoming) && isObject(first)) change(first);
  });
}

const resources: readonly Mutant[] = [
  { ...refusing("resource-read", reads("note://text")), also: ["cache-hints-resources-read"] },
  onContents("resource-contents-uri", "note://more", (contents) => {
    delete contents.uri;
  }),
  onContents("resource-contents-body", "note://more", (contents) => {
    delete contents.text;
  }),
  onContents("resource-blob-base64", "note://blob", (contents) => {
    contents.blob = "%%%";
  }),
  onContents("resource-contents-mime-type", "note://more", (contents) => {
    contents.mimeType = "plain";
  }),
  onError("resource-unknown", -32602, (error, _reply, incoming) => {
    if (reads(UNKNOWN_URI)(incoming) && incoming.headers["mcp-name"] !== undefined) error.code = -32000;
  }),
  onError("resource-unknown-legacy", -32002, (error) => {
    error.code = -32602;
  }),
  {
    ...serving("resource-unknown-refused", reads(UNKNOWN_URI), { contents: [] }),
    also: ["resource-unknown", "header-name-missing-resource"],
  },
  onError("resource-unknown-names-uri", -32602, (error, _reply, incoming) => {
    if (reads(UNKNOWN_URI)(incoming)) delete error.data;
  }),
  serving("resource-uri-missing", reads(undefined), { contents: [] }),
  serving("resource-uri-malformed", reads("../parley-check"), {
    contents: [{ uri: "../parley-check", text: "A file beside the resources" }],
  }),
  refusing("resource-subscribe", ({ message }) => message?.method === "resources/subscribe"),
  refusing("resource-unsubscribe", ({ message }) => message?.method === "resources/unsubscribe"),
];

/** A change of the first message of a prompt. */
function onPromptMessage(check: string, change: (message: JsonObject) => void): Mutant {
  return onItem(check, "prompts/get", "messages", change);
}

function onCompletion(check: string, change: (completion: JsonObject) => void): Mutant {
  return onResult(check, "completion/complete", ({ completion }) => {
    if (isObject(completion)) change(completion);
  });
}

const prompts: readonly Mutant[] = [
  onResult("prompt-get", "prompts/get", (result) => {
    result.messages = {};
  }),
  onPromptMessage("prompt-roles", (message) => {
    message.role = "system";
  }),
  onPromptMessage("prompt-content", (message) => {
    message.content = [message.content];
  }),
  onResult("prompt-description", "prompts/get", (result) => {
    result.description = 7;
  }),
  without("prompt-unknown", "prompt name"),
  serving(
    "prompt-name-missing",
    (incoming) => incoming.message?.method === "prompts/get" && !("name" in paramsOf(incoming)),
    { messages: [] },
  ),
  without("prompt-argument-missing", "prompt arguments"),
  without("completion-unknown-prompt", "completion ref/prompt"),
  without("completion-unknown-template", "completion ref/resource"),
  without("completion-without-ref", "completion ref"),
  without("completion-without-argument", "completion argument"),
  onCompletion("completion-values", (completion) => {
    completion.values = [1];
  }),
  onCompletion("completion-limit", (completion) => {
    completion.values = Array.from({ length: 101 }, (_value, index) => `value ${index}`);
  }),
  onCompletion("completion-total", (completion) => {
    completion.total = "2";
  }),
];

const LOG = "notifications/message";

/** A log message that nobody asked for, from some calls of the tool that logs. */
function logging(check: string, isConcerned: (incoming: Incoming) => boolean): Mutant {
  return onMethod(check, "tools/call", (reply, incoming) => {
    if (!calls("noisy")(incoming) || !isConcerned(incoming)) return;
    reply.isStream = true;
    reply.messages.unshift({ jsonrpc: "2.0", method: LOG, params: { level: "info", data: "noise" } });
  });
}

const LEVEL_KEY = "io.modelcontextprotocol/logLevel";

const logs: readonly Mutant[] = [
  {
    ...refusing("log-set-level", (incoming) => paramsOf(incoming).level === "info"),
    revision: "2025-11-25",
    also: ["log-all-levels"],
  },
  { ...refusing("log-all-levels", (incoming) => paramsOf(incoming).level === "notice"), revision: "2025-11-25" },
  without("log-level-unknown", "level"),
  logging("log-threshold-legacy", () => true),
  logging("log-opt-in", (incoming) => !(LEVEL_KEY in metaOf(incoming))),
  logging("log-threshold", (incoming) => metaOf(incoming)[LEVEL_KEY] === "emergency"),
  onNotification("log-message-levels", LOG, (params) => {
    params.level = "loud";
  }),
  onNotification("log-message-data", LOG, (params) => {
    delete params.data;
  }),
  onNotification("log-message-logger", LOG, (params) => {
    params.logger = 7;
  }),
  {
    ...onResult("log-declared", "initialize", ({ capabilities }) => {
      if (isObject(capabilities)) delete capabilities.logging;
    }),
    revision: "2025-11-25",
    also: ["logging-undeclared-refused"],
  },
];

export const FEATURE_MUTANTS: readonly Mutant[] = [...everyList, ...items, ...tools, ...resources, ...prompts, ...logs];
