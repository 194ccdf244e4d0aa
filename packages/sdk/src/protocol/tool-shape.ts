/** The shape of a tool as lists and sampling show it. JSON Schemas are only checked to be objects. */

import { iconShape } from "./implementation.js";
import type { Shape } from "./shape.js";
import { array, boolean, jsonObject, object, oneOf, optional, string } from "./shape.js";
import type { Tool, ToolAnnotations, ToolExecution } from "./tools.js";

const toolAnnotationsShape: Shape = object<ToolAnnotations>({
  title: optional(string),
  readOnlyHint: optional(boolean),
  destructiveHint: optional(boolean),
  idempotentHint: optional(boolean),
  openWorldHint: optional(boolean),
});

const toolExecutionShape: Shape = object<ToolExecution>({
  taskSupport: optional(oneOf("forbidden", "optional", "required")),
});

export const toolShape: Shape = object<Tool>({
  name: string,
  title: optional(string),
  description: optional(string),
  inputSchema: jsonObject,
  outputSchema: optional(jsonObject),
  annotations: optional(toolAnnotationsShape),
  icons: optional(array(iconShape)),
  execution: optional(toolExecutionShape),
  _meta: optional(jsonObject),
});
