/** Faults of the modern era: discovery, metadata, headers, caching hints and subscriptions. */
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import {
  type Mutant,
  metaOf,
  onError,
  onMethod,
  onNotification,
  onReply,
  onResult,
  paramsOf,
  refusing,
  resultsOf,
  serving,
  without,
} from "./fault-makers.fixture.js";

const PREFIX = "io.modelcontextprotocol/";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

function onDiscovery(check: string, change: (result: JsonObject) => void): Mutant {
  return onResult(check, "server/discover", change);
}

function onData(check: string, change: (data: JsonObject) => void): Mutant {
  return onError(check, -32022, (error) => {
    if (isObject(error.data)) change(error.data);
  });
}

const discovery: readonly Mutant[] = [
  {
    ...onDiscovery("discover-versions-listed", (result) => {
      result.supportedVersions = ["2025-11-25", "1999-01-01"];
    }),
    also: ["unknown-revision-consistent"],
  },
  onDiscovery("discover-versions-strings", (result) => {
    result.supportedVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "draft"];
  }),
  {
    ...onDiscovery("discover-capabilities", (result) => {
      result.capabilities = ["tools"];
    }),
    also: [
      "tools-declared",
      "resources-declared",
      "prompts-declared",
      "completions-undeclared-refused",
      "listen-filter-announced",
    ],
  },
  onDiscovery("discover-server-info", (result) => {
    result._meta = {};
  }),
  onDiscovery("discover-instructions", (result) => {
    result.instructions = { text: "Ask." };
  }),
  onMethod("discover-json", "server/discover", (reply) => {
    if (resultsOf(reply).length > 0) reply.status = 500;
  }),
  without("unknown-revision-refused", "revision server/discover"),
  onError("unknown-revision-status", -32022, (_error, reply) => {
    reply.status = 200;
  }),
  onData("unknown-revision-supported", (data) => {
    data.supported = "2026-07-28";
  }),
  onData("unknown-revision-requested", (data) => {
    delete data.requested;
  }),
  onData("unknown-revision-consistent", (data) => {
    data.supported = ["2026-07-28", "2030-01-01"];
  }),
  without("unknown-revision-not-served", "revision tools/list"),
  {
    ...refusing("modern-first-request", ({ message }) => message?.method === "tools/list" && message.id === 1),
    also: ["lists-same-for-all"],
  },
];

const metadata: readonly Mutant[] = [
  without("meta-without-revision", "meta revision"),
  { ...without("meta-without-capabilities", "meta capabilities"), also: ["meta-no-memory"] },
  { ...without("meta-revision-type", "meta revision type"), kind: "stdio" },
  without("meta-capabilities-type", "meta capabilities type"),
  without("meta-client-info-type", "meta info type"),
  onError("meta-without-revision-status", -32602, (_error, reply, incoming) => {
    if (!(`${PREFIX}protocolVersion` in metaOf(incoming)) && "_meta" in paramsOf(incoming)) reply.status = 200;
  }),
  onError("meta-without-capabilities-status", -32602, (_error, reply, incoming) => {
    if (!(`${PREFIX}clientCapabilities` in metaOf(incoming)) && "_meta" in paramsOf(incoming)) reply.status = 200;
  }),
  without("meta-absent", "meta"),
  {
    ...serving(
      "meta-no-memory",
      (incoming) => !(`${PREFIX}clientCapabilities` in metaOf(incoming)) && incoming.message?.id === 2,
    ),
  },
  refusing(
    "meta-client-info-optional",
    (incoming) => "_meta" in paramsOf(incoming) && !(`${PREFIX}clientInfo` in metaOf(incoming)),
    -32602,
  ),
  onReply(
    "meta-client-info-ignored",
    (incoming) => JSON.stringify(metaOf(incoming)).includes("another-client"),
    (reply) => {
      for (const result of resultsOf(reply)) result.capabilities = {};
    },
  ),
  refusing("meta-foreign-keys", (incoming) => "com.example/trace" in metaOf(incoming), -32602),
  refusing("meta-trace-context", (incoming) => "traceparent" in metaOf(incoming), -32602),
  refusing(
    "meta-unknown-capabilities",
    (incoming) => JSON.stringify(metaOf(incoming)).includes("com.example/unknown"),
    -32602,
  ),
  without("meta-log-level-invalid", "meta log level"),
  onResult("result-type", "prompts/get", (result) => {
    delete result.resultType;
  }),
  onResult("result-type-known", "prompts/list", (result) => {
    result.resultType = "partial";
  }),
  onResult("result-server-info", "prompts/get", (result) => {
    delete result._meta;
  }),
  onResult("meta-key-names", "prompts/get", (result) => {
    result._meta = { ...(isObject(result._meta) ? result._meta : {}), "-odd": 1 };
  }),
];

const isPlain = (value: string) => (incoming: { readonly headers: Readonly<Record<string, string>> }) =>
  incoming.headers["mcp-method"] !== undefined && incoming.headers["mcp-method"] === value;

const headers: readonly Mutant[] = [
  { ...without("header-version-differs", "version header value") },
  without("header-method-missing", "method header"),
  { ...without("header-method-differs", "method header value"), also: ["header-mismatch-status"] },
  without("header-method-case", "method header case"),
  without("header-name-missing-tool", "name header tools/call"),
  without("header-name-missing-resource", "name header resources/read"),
  without("header-name-missing-prompt", "name header prompts/get"),
  { ...without("header-name-differs", "name header value"), also: ["header-name-marker-case"] },
  without("header-name-broken-base64", "name header broken"),
  without("header-name-marker-case", "name header marker"),
  without("header-name-not-ascii", "name header characters"),
  onError("header-mismatch-status", -32020, (_error, reply) => {
    reply.status = 200;
  }),
  without("header-version-missing", "version header"),
  without("header-name-base64", "name header decoded"),
  without("header-names-any-case", "header case"),
  without("header-space-around", "header space"),
  refusing("header-param-served", (incoming) => incoming.headers["mcp-param-region"] === "north", -32020),
  without("header-param-missing", "param header"),
  without("header-param-differs", "param header value"),
  without("header-param-base64", "param header decoded"),
  { ...without("header-param-absent", "param header null"), also: ["tool-invalid-arguments"] },
  refusing(
    "session-header-ignored",
    ({ headers: sent, revision }) => revision === "2026-07-28" && sent["mcp-session-id"] !== undefined,
    -32020,
  ),
  refusing("last-event-id-ignored", ({ headers: sent }) => sent["last-event-id"] !== undefined, -32020),
  onReply("no-session-in-responses", isPlain("prompts/list"), (reply) => {
    reply.headers["mcp-session-id"] = "session";
  }),
];

const CACHEABLE = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];

const caching: readonly Mutant[] = [
  ...CACHEABLE.map((method) =>
    onResult(`cache-hints-${method.replaceAll("/", "-")}`, method, (result) => {
      delete result.ttlMs;
      delete result.cacheScope;
    }),
  ),
  onResult("cache-scope-on-pages", "tools/list", (result, incoming) => {
    if (paramsOf(incoming).cursor !== undefined) result.cacheScope = "public";
  }),
  onResult("cache-ttl", "prompts/list", (result) => {
    result.ttlMs = -1;
  }),
  onResult("cache-scope", "prompts/list", (result) => {
    result.cacheScope = "shared";
  }),
  onResult("cache-hints-elsewhere", "prompts/get", (result) => {
    result.ttlMs = 0;
  }),
];

const subscriptions: readonly Mutant[] = [
  onMethod("listen-acknowledged-first", "subscriptions/listen", (reply) => {
    if (!reply.staysOpen) return;
    reply.messages.unshift({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { [`${PREFIX}subscriptionId`]: 1 } },
    });
  }),
  {
    ...onNotification("listen-id-string", ACKNOWLEDGED, (params) => {
      const { [`${PREFIX}subscriptionId`]: id } = isObject(params._meta) ? params._meta : {};
      if (typeof id === "string") params._meta = {};
    }),
    also: ["listen-two-at-once"],
  },
  onNotification("listen-id-number", ACKNOWLEDGED, (params) => {
    const { [`${PREFIX}subscriptionId`]: id } = isObject(params._meta) ? params._meta : {};
    params._meta = { [`${PREFIX}subscriptionId`]: String(id) };
  }),
  onNotification("listen-filter-present", ACKNOWLEDGED, (params) => {
    delete params.notifications;
  }),
  {
    ...onNotification("listen-filter-narrow", ACKNOWLEDGED, (params) => {
      params.notifications = { ...(params.notifications as object), resourcesListChanged: true };
    }),
    also: ["listen-empty-filter"],
  },
  {
    ...onNotification("listen-filter-announced", ACKNOWLEDGED, (params) => {
      const kinds = params.notifications as JsonObject;
      if (kinds.toolsListChanged && kinds.resourcesListChanged) kinds.promptsListChanged = true;
    }),
  },
  onNotification("listen-empty-filter", ACKNOWLEDGED, (params) => {
    if (Object.keys(params.notifications as JsonObject).length === 0) params.notifications = { toolsListChanged: true };
  }),
  without("listen-filter-missing", "listen filter"),
  {
    ...onMethod("listen-stream", "subscriptions/listen", (reply) => {
      reply.isStream = false;
    }),
  },
  onMethod("listen-stays-open", "subscriptions/listen", (reply) => {
    reply.staysOpen = false;
  }),
  onNotification("listen-two-at-once", ACKNOWLEDGED, (params) => {
    const { [`${PREFIX}subscriptionId`]: id } = isObject(params._meta) ? params._meta : {};
    if (id === "two") params._meta = { [`${PREFIX}subscriptionId`]: "one" };
  }),
  onMethod("listen-cancelled-unanswered", "notifications/cancelled", (reply, incoming) => {
    const { requestId } = paramsOf(incoming);
    if (requestId !== "parley-check-cancelled") return;
    reply.messages = [{ jsonrpc: "2.0", id: requestId, result: { resultType: "complete" } }];
  }),
  onReply(
    "notifications-unasked",
    ({ message }) => message?.method === "prompts/get",
    (reply) => {
      if (resultsOf(reply).length === 0) return;
      reply.isStream = true;
      reply.messages.unshift({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    },
  ),
];

export const MODERN_MUTANTS: readonly Mutant[] = [...discovery, ...metadata, ...headers, ...caching, ...subscriptions];
