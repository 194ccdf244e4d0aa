/** Shapes of listing and calling tools. */
import type { Shape } from "../shape.js";
import { anything, array, boolean, jsonObject, object, optional, string } from "../shape.js";
import type { CallToolParams, CallToolResult, ListToolsResult } from "../tools.js";
import { contentBlockShape } from "./content.js";
import { inputResponseFields } from "./input-required.js";
import { cacheFields, pageResultFields, resultFields } from "./message-base.js";
import { taskRequestShape } from "./tasks.js";
import { toolShape } from "./tool.js";

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
