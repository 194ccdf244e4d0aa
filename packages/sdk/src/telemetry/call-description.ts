/** The span name and the attributes of a call, by the semantic conventions for MCP. */
import type { Attributes } from "@opentelemetry/api";
import { isSpecMethod } from "../protocol/method-table.js";
import type { MiddlewareCall } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { sha256Hex } from "../runtime/hexadecimal.js";
import { isJsonObject } from "../runtime/json.js";

/** Replaces names that a peer chose. Metric attributes must have few different values. */
export const OTHER = "_OTHER";
const MAX_NAME_LENGTH = 128;
/** Longer URIs are left out of spans: peers choose them, and exporters keep spans in memory. */
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
  /** Attributes with few different values. */
  readonly metricAttributes: Attributes;
}

export function describeCall(call: MiddlewareCall<RequestContext>): CallDescription {
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

/** The session id of a received call. It is a secret and must not be recorded. */
export function sessionOf({ context }: MiddlewareCall<RequestContext>): string | undefined {
  return context?.era === "legacy" ? context.caller?.headers?.["mcp-session-id"] : undefined;
}

/** The arguments of a tool or prompt, for `recordArguments`. */
export function argumentAttributes({ method, params }: MiddlewareCall<RequestContext>): Attributes {
  const given = params.arguments;
  if (!isJsonObject(given)) return {};
  if (method === "tools/call") return { "gen_ai.tool.call.arguments": JSON.stringify(given) };
  if (method !== "prompts/get") return {};
  // Arguments of prompts are strings. The server refuses other values when it serves the prompt.
  const strings = Object.entries(given).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(strings.map(([name, value]) => [`gen_ai.prompt.variable.${name}`, String(value)]));
}

/** The result of a tool that succeeded, for `recordResults`. */
export function resultAttributes({ method }: MiddlewareCall<RequestContext>, result: unknown): Attributes {
  if (method !== "tools/call" || !isJsonObject(result)) return {};
  if (result.isError === true || result.resultType === "input_required") return {};
  return { "gen_ai.tool.call.result": JSON.stringify(result) };
}

function promptIn({ method, params }: MiddlewareCall<RequestContext>): string | undefined {
  if (method === "prompts/get") return shortOr(params.name);
  if (method !== "completion/complete" || !isJsonObject(params.ref)) return undefined;
  return params.ref.type === "ref/prompt" ? shortOr(params.ref.name) : undefined;
}

/** Whether the peer chose the name of the method. Receivers accept notifications of any name. */
function isMadeUp({ kind, direction, method }: MiddlewareCall<RequestContext>): boolean {
  return kind === "notification" && direction === "inbound" && !isSpecMethod(method);
}

function shortOr(name: unknown, fallback: string): string;
function shortOr(name: unknown): string | undefined;
function shortOr(name: unknown, fallback?: string): string | undefined {
  return typeof name === "string" && name.length <= MAX_NAME_LENGTH ? name : fallback;
}

/** Limits of the cache of digests. With a cached digest, a call does not wait. */
const KEPT = { maxEntries: 1_024, maxWeight: 1_048_576 };
/** The first half of SHA-256 is enough to tell sessions apart. */
const DIGEST_BYTES = 16;

/**
 * Digests of session ids, for spans. A session id gives access to its session, so spans must not contain it: traces have more
 * readers than sessions have users.
 */
export class SessionDigests {
  readonly #known = new BoundedMap<string, string>(KEPT);

  /** Returns the digest in hexadecimal, or a promise of it if the digest is not cached. */
  of(id: string): string | Promise<string> {
    return this.#known.get(id) ?? this.#digest(id);
  }

  async #digest(id: string): Promise<string> {
    const text = await sha256Hex(id, DIGEST_BYTES);
    this.#known.set(id, text, id.length);
    return text;
  }
}
