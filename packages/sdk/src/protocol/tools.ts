/** Tools: functions of a server that a model calls. */

import type { JsonObject } from "../runtime/json.js";
import type { CacheHint } from "./caching.js";
import type { ContentBlock } from "./content.js";
import type { Icon } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import type { PageParams, PageResult, Result } from "./message-base.js";
import type { TaskRequest } from "./tasks.js";

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
