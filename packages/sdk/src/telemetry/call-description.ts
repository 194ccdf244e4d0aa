/** What a call is named and described by, as the semantic conventions for MCP have it. */
import type { Attributes } from "@opentelemetry/api";
import { isSpecMethod } from "../protocol/method-table.js";
import type { Call } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { isJsonObject } from "../runtime/json.js";

/** What backends are asked to group by must not grow with what peers make up. */
export const OTHER = "_OTHER";
const MAX_NAME_LENGTH = 128;
/** A span holds no longer URI: peers choose them, and exporters keep spans in memory. */
const MAX_URI_LENGTH = 2_048;

const NAMES_RESOURCE: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

export interface CallDescription {
  readonly spanName: string;
  readonly spanAttributes: Attributes;
  /** Of few different values. */
  readonly metricAttributes: Attributes;
}

export function describeCall(call: Call<RequestContext>): CallDescription {
  const { params, context } = call;
  const method = shortOr(call.method, OTHER);
  const named: Attributes = {};
  const tool = call.method === "tools/call" ? shortOr(params.name) : undefined;
  const prompt = promptIn(call);
  if (tool !== undefined) named["gen_ai.tool.name"] = tool;
  if (prompt !== undefined) named["gen_ai.prompt.name"] = prompt;
  if (call.method === "tools/call") named["gen_ai.operation.name"] = "execute_tool";
  const common = { "mcp.protocol.version": call.revision, ...named };
  const target = tool ?? prompt;
  const spanAttributes: Attributes = { "mcp.method.name": method, ...common };
  const uri = NAMES_RESOURCE.has(call.method) ? params.uri : undefined;
  if (typeof uri === "string" && uri.length <= MAX_URI_LENGTH) spanAttributes["mcp.resource.uri"] = uri;
  if (context) {
    const id = shortOr(String(context.requestId));
    if (id !== undefined) spanAttributes["jsonrpc.request.id"] = id;
  }
  return {
    spanName: target === undefined ? method : `${method} ${target}`,
    spanAttributes,
    metricAttributes: { "mcp.method.name": isMadeUp(call) ? OTHER : method, ...common },
  };
}

/** The id of the session that a call was received in. A secret: it must not be recorded as it is. */
export function sessionOf({ context }: Call<RequestContext>): string | undefined {
  return context?.era === "legacy" ? context.caller?.headers?.["mcp-session-id"] : undefined;
}

/** The arguments of a tool or prompt, for spans of those who asked for them. */
export function argumentAttributes({ method, params }: Call<RequestContext>): Attributes {
  const given = params.arguments;
  if (!isJsonObject(given)) return {};
  if (method === "tools/call") return { "gen_ai.tool.call.arguments": JSON.stringify(given) };
  if (method !== "prompts/get") return {};
  // What is no string is refused when the prompt is served, which has not happened yet.
  const strings = Object.entries(given).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(strings.map(([name, value]) => [`gen_ai.prompt.variable.${name}`, String(value)]));
}

/** The result of a tool that succeeded, for spans of those who asked for it. */
export function resultAttributes({ method }: Call<RequestContext>, result: unknown): Attributes {
  if (method !== "tools/call" || !isJsonObject(result)) return {};
  if (result.isError === true || result.resultType === "input_required") return {};
  return { "gen_ai.tool.call.result": JSON.stringify(result) };
}

function promptIn({ method, params }: Call<RequestContext>): string | undefined {
  if (method === "prompts/get") return shortOr(params.name);
  if (method !== "completion/complete" || !isJsonObject(params.ref)) return undefined;
  return params.ref.type === "ref/prompt" ? shortOr(params.ref.name) : undefined;
}

/** Nobody refuses a notification that nobody knows. */
function isMadeUp({ kind, direction, method }: Call<RequestContext>): boolean {
  return kind === "notification" && direction === "inbound" && !isSpecMethod(method);
}

function shortOr(name: unknown, otherwise: string): string;
function shortOr(name: unknown): string | undefined;
function shortOr(name: unknown, otherwise?: string): string | undefined {
  return typeof name === "string" && name.length <= MAX_NAME_LENGTH ? name : otherwise;
}
