/** Converts the return value of a tool's handler into the result of `tools/call`. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues, type ValidationResult } from "../json-schema/index.js";
import { type Era, isAtLeast, type Revision } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { callToolResultShape } from "../protocol/tools.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import type { CompiledSchema } from "../schema/compile-schema.js";
import { JsonTextBlock } from "../wire/preserialized-json.js";
import { encodeBlock, encodeEach } from "./returned-content.js";
import type { RegisteredTool } from "./tool-definition.js";

/** Clients of older revisions see structured content only as JSON text. */
const STRUCTURED_SINCE: Revision = "2025-06-18";

/** The request that a result answers. */
interface ResultTarget {
  readonly era: Era;
  readonly revision: Revision;
  /** Whether the result may be changed before it is sent. */
  readonly hasMiddleware: boolean;
}

/** @throws {SdkError} `invalid-result` for a return value that is not a valid result of the tool. */
export function toToolResult(
  tool: RegisteredTool,
  returned: unknown,
  request: ResultTarget,
): JsonObject | PromiseLike<JsonObject> {
  if (tool.output === undefined) return finishOwn(tool, plainResult(tool, returned), request);
  if (isFullResult(returned)) return fullResult(tool, tool.output, { ...returned }, request);
  return mapMaybe(tool.output.validate(returned), (checked) => finish(tool, contentOf(tool, checked), request));
}

/** Completes a full result of the author, and validates its structured content. */
function fullResult(
  tool: RegisteredTool,
  output: CompiledSchema,
  result: JsonObject,
  request: ResultTarget,
): JsonObject | PromiseLike<JsonObject> {
  if (result.isError === true) return finishOwn(tool, result, request);
  return mapMaybe(output.validate(result.structuredContent), (checked) =>
    finishOwn(tool, { ...result, ...contentOf(tool, checked) }, request),
  );
}

/** Completes and checks a result that the author made. Its shape is unknown until then. */
function finishOwn(tool: RegisteredTool, own: JsonObject, request: ResultTarget): JsonObject {
  if (own.content !== undefined) own.content = encodeEach(own.content, encodeBlock);
  const result = finish(tool, own, request);
  const fault = callToolResultShape(result);
  if (fault) throw badReturn(tool, explain(fault, "result"));
  return result;
}

/** Completes a result in place. The caller must own the object. */
function finish(tool: RegisteredTool, result: JsonObject, request: ResultTarget): JsonObject {
  const { era, revision, hasMiddleware } = request;
  const mirrors = tool.hasTextMirror || !isAtLeast(revision, STRUCTURED_SINCE);
  result.content ??= mirrors ? textMirror(tool, result.structuredContent, hasMiddleware) : [];
  if (era === "legacy" && needsWrapping(tool, result)) {
    result.structuredContent = { result: result.structuredContent };
  }
  return result;
}

export function toolErrorResult(message: string): JsonObject {
  return { content: [{ type: "text", text: message }], isError: true };
}

function plainResult(tool: RegisteredTool, returned: unknown): JsonObject {
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  if (returned === undefined) return { content: [] };
  if (Array.isArray(returned)) return { content: returned };
  if (isFullResult(returned) || (isJsonObject(returned) && Object.hasOwn(returned, "content"))) {
    return { ...returned };
  }
  throw badReturn(tool, "expected a string, content blocks or a result; a value of its own needs an output schema");
}

function contentOf(tool: RegisteredTool, checked: ValidationResult): JsonObject {
  if (!checked.ok) throw badReturn(tool, describeIssues(checked.issues, "structuredContent"));
  const structuredContent = checked.value;
  if (structuredContent === undefined) {
    throw badReturn(tool, "structuredContent is missing, and the tool has an output schema");
  }
  return { structuredContent };
}

/** Legacy structured content must be an object. A wrapped output schema wraps every value; otherwise each value decides. */
function needsWrapping(tool: RegisteredTool, result: JsonObject): boolean {
  return result.structuredContent !== undefined && (tool.isWrapped || !isJsonObject(result.structuredContent));
}

/** A full result has `structuredContent` or `isError`. Any other object is a value of the output schema. */
function isFullResult(returned: unknown): returned is JsonObject {
  return isJsonObject(returned) && (Object.hasOwn(returned, "structuredContent") || Object.hasOwn(returned, "isError"));
}

function textMirror(tool: RegisteredTool, value: unknown, mayChange: boolean): readonly object[] {
  if (value === undefined) return [];
  const text = JSON.stringify(value);
  // `JSON.stringify` returns undefined for some values, despite its type.
  if (typeof text !== "string")
    throw badReturn(tool, "JSON cannot express it; return objects, lists, texts, numbers, booleans or null");
  return [mayChange ? { type: "text", text } : new JsonTextBlock(value, text)];
}

function badReturn(tool: RegisteredTool, complaint: string): SdkError {
  return new SdkError("invalid-result", `tool "${tool.listing.name}" returned no valid result: ${complaint}`);
}
