/**
 * Rules for questions of servers and answers of clients, beyond the shapes of the messages. A rule returns a complaint or
 * undefined. The caller decides which error follows.
 */

import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";
import type { ClientCapabilities, SamplingCapability } from "./capabilities.js";
import type { InputRequest } from "./input-required.js";
import { hasContentType } from "./method-table.js";
import { hasDotDotSegment } from "./path-safety.js";
import { isAtLeast, type Revision } from "./revisions.js";
import type { ListRootsResult } from "./roots.js";
import type { CreateMessageParams, CreateMessageResult, SamplingContentBlock, SamplingMessage } from "./sampling.js";

/** Brought tools to sampling, lists of blocks with them, and the capability for context. */
const SAMPLING_TOOLS_SINCE: Revision = "2025-11-25";

/** Whether a conversation may be given to the client's model: its parts exist in the revision, its tool uses are settled. */
export function samplingRequestComplaint(params: CreateMessageParams, revision: Revision): string | undefined {
  const foreign = (["tools", "toolChoice"] as const).find((field) => params[field] !== undefined);
  if (foreign !== undefined && !isAtLeast(revision, SAMPLING_TOOLS_SINCE)) return tooEarly(foreign, revision);
  let unsettled: readonly string[] = [];
  for (const [index, message] of params.messages.entries()) {
    const complaint = contentComplaint(message, revision) ?? toolBlocksComplaint(message, unsettled);
    if (complaint !== undefined) return `messages[${index}].${complaint}`;
    unsettled = toolUsesOf(message);
  }
  const [open] = unsettled;
  return open === undefined
    ? undefined
    : `messages: tool_use ${quote(open)} in the last one has no tool_result after it`;
}

/**
 * The complaint about a model's answer to a request. A model that was told to use a tool and did not is no complaint: it may
 * have run out of tokens.
 */
export function samplingAnswerComplaint(
  params: CreateMessageParams,
  result: CreateMessageResult,
  revision: Revision,
): string | undefined {
  if (result.role !== "assistant") return `role: a model answers as "assistant", not as "${result.role}"`;
  const complaint = contentComplaint(result, revision);
  if (complaint !== undefined) return complaint;
  if (toolResultsOf(result).length > 0) return "content: tool_result blocks are for requests, not for answers";
  const uses = toolUsesOf(result);
  if (uses.length === 0) return undefined;
  if (params.tools === undefined || params.tools.length === 0) return "content: uses a tool, but none was offered";
  if (params.toolChoice?.mode === "none") return 'content: uses a tool, but the tool choice was "none"';
  return repetitionComplaint("tool_use", uses);
}

/** Whether every root is a file or directory, named without a way up and out of it. */
export function rootsComplaint({ roots }: ListRootsResult): string | undefined {
  for (const [index, { uri }] of roots.entries()) {
    if (!/^file:\/\//i.test(uri) || !URL.canParse(uri)) return `roots[${index}].uri: must be a file:// URI`;
    if (hasDotDotSegment(uri)) return `roots[${index}].uri: must not contain ".." segments`;
  }
  return undefined;
}

/**
 * What a client has to declare before it can be asked this. With the revision in use, also what a server should not use
 * undeclared; a client is free to answer without that, so it gives none.
 */
export function requiredCapabilities(request: InputRequest, revision?: Revision): ClientCapabilities {
  switch (request.method) {
    case "elicitation/create":
      return { elicitation: request.params.mode === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return { sampling: requiredSampling(request.params, revision) };
    case "roots/list":
      return { roots: {} };
  }
}

/** The part of a client's declaration that exists in the revision. */
export function capabilitiesIn(revision: Revision, declared: ClientCapabilities): ClientCapabilities {
  const { elicitation, ...rest } = declared;
  if (elicitation === undefined || isAtLeast(revision, "2025-11-25")) return declared;
  const { url, ...known } = elicitation;
  return isAtLeast(revision, "2025-06-18") ? { ...rest, elicitation: known } : rest;
}

/** The required capabilities, at any depth, that were not declared; undefined if all were. */
export function missingCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const { elicitation } = declared;
  const isBare = elicitation && elicitation.form === undefined && elicitation.url === undefined;
  // elicitation:capability:empty-is-form
  const given: ClientCapabilities = isBare ? { ...declared, elicitation: { ...elicitation, form: {} } } : declared;
  return missingMembers({ ...required }, { ...given });
}

function requiredSampling(params: CreateMessageParams, revision: Revision | undefined): SamplingCapability {
  const { tools, toolChoice, includeContext = "none" } = params;
  const needsTools = tools !== undefined || toolChoice !== undefined;
  const needsContext = includeContext !== "none" && revision !== undefined && isAtLeast(revision, SAMPLING_TOOLS_SINCE);
  return { ...(needsTools && { tools: {} }), ...(needsContext && { context: {} }) };
}

function missingMembers(required: JsonObject, declared: JsonObject): JsonObject | undefined {
  const missing: JsonObject = {};
  for (const [key, wanted] of Object.entries(required)) {
    if (wanted === undefined) continue;
    const given = Object.hasOwn(declared, key) ? declared[key] : undefined;
    if (given === undefined) missing[key] = wanted;
    else if (isJsonObject(wanted) && isJsonObject(given)) {
      const deeper = missingMembers(wanted, given);
      if (deeper) missing[key] = deeper;
    }
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}

function contentComplaint({ content }: SamplingMessage, revision: Revision): string | undefined {
  if (Array.isArray(content) && !isAtLeast(revision, SAMPLING_TOOLS_SINCE))
    return tooEarly("content: a list", revision);
  const foreign = blocksOf(content).find(({ type }) => !hasContentType(revision, type));
  return foreign && `content: revision ${revision} has no ${foreign.type} blocks`;
}

/** @param unsettled the tool uses of the message before, all of which this one has to answer */
function toolBlocksComplaint(message: SamplingMessage, unsettled: readonly string[]): string | undefined {
  const results = toolResultsOf(message);
  const uses = toolUsesOf(message);
  if (message.role === "user" && uses.length > 0) return "content: only the assistant uses tools";
  if (message.role === "assistant" && results.length > 0) return "content: only the user gives tool results";
  if (results.length > 0 && results.length < blocksOf(message.content).length) {
    return "content: tool results must not be mixed with other blocks";
  }
  // As few sets as possible: the engine hashes long strings by their length alone, so that a peer can make them collide.
  const answered = new Set(results);
  const unanswered = unsettled.find((id) => !answered.has(id));
  if (unanswered !== undefined) return `content: lacks the tool_result for ${quote(unanswered)} of the message before`;
  // The message before has no id twice and all of them are answered, so that only further ids can be orphans.
  const orphan = answered.size > unsettled.length ? orphanOf(results, unsettled) : undefined;
  if (orphan !== undefined) return `content: tool_result ${quote(orphan)} answers no tool_use of the message before`;
  if (answered.size < results.length) return repeated("tool_result");
  return repetitionComplaint("tool_use", uses);
}

function orphanOf(results: readonly string[], unsettled: readonly string[]): string | undefined {
  const asked = new Set(unsettled);
  return results.find((id) => !asked.has(id));
}

function repetitionComplaint(type: string, ids: readonly string[]): string | undefined {
  return new Set(ids).size < ids.length ? repeated(type) : undefined;
}

function repeated(type: string): string {
  return `content: has several ${type} blocks for one id`;
}

function blocksOf(content: SamplingMessage["content"]): readonly SamplingContentBlock[] {
  return Array.isArray(content) ? content : [content];
}

function toolUsesOf({ content }: SamplingMessage): readonly string[] {
  return blocksOf(content).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function toolResultsOf({ content }: SamplingMessage): readonly string[] {
  return blocksOf(content).flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
}

function tooEarly(what: string, revision: Revision): string {
  return `${what} needs revision ${SAMPLING_TOOLS_SINCE} or later, not ${revision}`;
}

/** Shortened, because a peer chose the text. */
function quote(name: string): string {
  return JSON.stringify(shorten(name));
}

/** The schemes of pages that a user is asked to open, unless a client allows others. */
const PAGE_SCHEMES: readonly string[] = ["https", "http"];

/** Why a URL is no page to open, if it is none. `schemes` have no colon. */
export function pageUrlComplaint(url: string, schemes: readonly string[] = PAGE_SCHEMES): string | undefined {
  if (!URL.canParse(url)) return "expected a valid URL";
  const scheme = new URL(url).protocol.slice(0, -1);
  if (schemes.includes(scheme)) return undefined;
  return `expected a URL of the scheme ${schemes.join(" or ")}, got ${scheme}`;
}
