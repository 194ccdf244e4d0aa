/** Tools: functions of a server that a model calls. */

import type { JsonObject } from "../runtime/json.js";
import type { ContentBlock } from "./content.js";
import { contentBlockShape } from "./content.js";
import type { Icon } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import { inputResponseFields } from "./input-required.js";
import type { CacheHint, PageParams, PageResult, Result } from "./message-base.js";
import { cacheFields, pageResultFields, resultFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { anything, array, boolean, jsonObject, object, optional, string } from "./shape.js";
import type { TaskRequest } from "./tasks.js";
import { taskRequestShape } from "./tasks.js";
import { toolShape } from "./tool-shape.js";

/** Hints on how a tool behaves; a client must not trust them from a server it does not trust. */
export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** How a tool may be run (2025-11-25 alone). */
export interface ToolExecution {
  taskSupport?: "forbidden" | "optional" | "required" | undefined;
}

/** A tool as a list shows it. */
export interface Tool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** A JSON Schema whose `type` is `"object"`. */
  inputSchema: JsonObject;
  /** A JSON Schema; before 2026-07-28 its `type` is `"object"`. */
  outputSchema?: JsonObject | undefined;
  annotations?: ToolAnnotations | undefined;
  icons?: Icon[] | undefined;
  execution?: ToolExecution | undefined;
  _meta?: JsonObject | undefined;
}

/** The params of `tools/list`. */
export type ListToolsParams = PageParams;

/** The result of `tools/list`. */
export interface ListToolsResult extends PageResult, CacheHint {
  tools: Tool[];
}

/** The params of `tools/call`. */
export interface CallToolParams extends InputResponseParams {
  name: string;
  arguments?: JsonObject | undefined;
  task?: TaskRequest | undefined;
}

/** The result of `tools/call`. */
export interface CallToolResult extends Result {
  content: ContentBlock[];
  /** Any JSON value; before 2026-07-28 an object. */
  structuredContent?: unknown;
  /** True if the tool failed. The model sees the content and can try again. */
  isError?: boolean | undefined;
}

export const listToolsResultShape: Shape = object<ListToolsResult>({
  ...pageResultFields,
  ...cacheFields,
  tools: array(toolShape),
});

export const callToolParamsShape: Shape = object<CallToolParams>({
  ...inputResponseFields,
  name: string,
  arguments: optional(jsonObject),
  task: optional(taskRequestShape),
});

export const callToolResultShape: Shape = object<CallToolResult>({
  ...resultFields,
  content: array(contentBlockShape),
  structuredContent: anything,
  isError: optional(boolean),
});
