/** Valid messages of both eras, to be damaged. */

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, sampling: {}, roots: {} },
};

type Params = Readonly<Record<string, unknown>>;

/** Methods with params that both eras know. */
const CALLS: readonly (readonly [method: string, params: Params])[] = [
  ["tools/list", {}],
  ["tools/list", { cursor: "dG9vbHM6MQ==" }],
  ["tools/call", { name: "echo", arguments: { text: "hello", count: 2 } }],
  ["tools/call", { name: "mirrored", arguments: { region: "eu", shard: 7, dry: true } }],
  ["tools/call", { name: "notes", arguments: {}, _meta: { progressToken: "p1" } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "notes://monday" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "review", arguments: { code: "x = 1" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "review" }, argument: { name: "code", value: "x" } }],
];

const legacyCalls: typeof CALLS = [
  ...CALLS,
  ["ping", {}],
  ["logging/setLevel", { level: "debug" }],
  ["resources/subscribe", { uri: "notes://monday" }],
];

const modernCalls: typeof CALLS = [
  ...CALLS,
  ["server/discover", {}],
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
];

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    clientInfo: { name: "fuzz", version: "1.0.0" },
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
  },
} as const;

export const LEGACY_REQUESTS: readonly object[] = [
  INITIALIZE,
  ...legacyCalls.map(([method, params], index) => ({ jsonrpc: "2.0", id: index + 1, method, params })),
];

export const MODERN_REQUESTS: readonly object[] = modernCalls.map(([method, params], index) => ({
  jsonrpc: "2.0",
  id: `m${index}`,
  method,
  params: { ...params, _meta: { ...(params._meta as object | undefined), ...modernMeta } },
}));

/** Notifications, answers and a batch. */
export const OTHER_MESSAGES: readonly object[] = [
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "changed my mind" } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p1", progress: 1, total: 2 } },
  { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "hello" }] } },
  { jsonrpc: "2.0", id: "1", result: { resultType: "input_required", inputRequests: {}, requestState: "s" } },
  { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "Method not found", data: { a: 1 } } },
  { jsonrpc: "2.0", error: { code: -32700, message: "Parse error" } },
  [INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" }],
];

export const MESSAGES: readonly unknown[] = [...LEGACY_REQUESTS, ...MODERN_REQUESTS, ...OTHER_MESSAGES];

export const MESSAGE_TEXTS: readonly string[] = MESSAGES.map((message) => JSON.stringify(message));
