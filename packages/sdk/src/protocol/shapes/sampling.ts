/** Shapes of sampling. */
import type {
  CreateMessageParams,
  CreateMessageResult,
  ModelHint,
  ModelPreferences,
  SamplingMessage,
  ToolChoice,
  ToolResultContent,
  ToolUseContent,
} from "../sampling.js";
import type { Fields, Shape } from "../shape.js";
import {
  anything,
  array,
  boolean,
  integer,
  jsonObject,
  number,
  object,
  oneOf,
  oneOrMany,
  optional,
  string,
  tagged,
} from "../shape.js";
import { audioContentShape, contentBlockShape, imageContentShape, roleShape, textContentShape } from "./content.js";
import { requestFields, resultFields } from "./message-base.js";
import { taskRequestShape } from "./tasks.js";
import { toolShape } from "./tool.js";

const toolUseContentShape: Shape = object<ToolUseContent>({
  type: oneOf("tool_use"),
  id: string,
  name: string,
  input: jsonObject,
  _meta: optional(jsonObject),
});

const toolResultContentShape: Shape = object<ToolResultContent>({
  type: oneOf("tool_result"),
  toolUseId: string,
  content: array(contentBlockShape),
  structuredContent: anything,
  isError: optional(boolean),
  _meta: optional(jsonObject),
});

const samplingMessageFields: Fields<SamplingMessage> = {
  role: roleShape,
  content: oneOrMany(
    tagged("type", {
      text: textContentShape,
      image: imageContentShape,
      audio: audioContentShape,
      tool_use: toolUseContentShape,
      tool_result: toolResultContentShape,
    }),
  ),
  _meta: optional(jsonObject),
};

const modelPreferencesShape: Shape = object<ModelPreferences>({
  hints: optional(array(object<ModelHint>({ name: optional(string) }))),
  costPriority: optional(number),
  speedPriority: optional(number),
  intelligencePriority: optional(number),
});

export const createMessageParamsShape: Shape = object<CreateMessageParams>({
  ...requestFields,
  messages: array(object<SamplingMessage>(samplingMessageFields)),
  maxTokens: integer,
  systemPrompt: optional(string),
  modelPreferences: optional(modelPreferencesShape),
  includeContext: optional(oneOf("none", "thisServer", "allServers")),
  temperature: optional(number),
  stopSequences: optional(array(string)),
  metadata: optional(jsonObject),
  tools: optional(array(toolShape)),
  toolChoice: optional(object<ToolChoice>({ mode: optional(oneOf("auto", "required", "none")) })),
  task: optional(taskRequestShape),
});

export const createMessageResultShape: Shape = object<CreateMessageResult>({
  ...resultFields,
  ...samplingMessageFields,
  model: string,
  stopReason: optional(string),
});
