/** Sampling: a server asks the client's model. */

import type { JsonObject } from "../runtime/json.js";
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from "./content.js";
import { audioContentShape, contentBlockShape, imageContentShape, roleShape, textContentShape } from "./content.js";
import type { RequestParams, Result } from "./message-base.js";
import { requestFields, resultFields } from "./message-base.js";
import type { Fields, Shape } from "./shape.js";
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
} from "./shape.js";
import type { TaskRequest } from "./tasks.js";
import { taskRequestShape } from "./tasks.js";
import { toolShape } from "./tool-shape.js";
import type { Tool } from "./tools.js";

/**
 * The model wants a tool run; since 2025-11-25.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject | undefined;
}

/**
 * The result of a tool that the model used; since 2025-11-25.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: JsonObject | undefined;
}

/**
 * One block of a sampling message.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export type SamplingContentBlock = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/**
 * One message of the conversation given to the model.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface SamplingMessage {
  role: Role;
  /** Several blocks since 2025-11-25, one before. */
  content: SamplingContentBlock | SamplingContentBlock[];
  _meta?: JsonObject | undefined;
}

/**
 * A name, or part of one, of a model that would do.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface ModelHint {
  name?: string | undefined;
}

/**
 * Preferences for the choice of a model; each priority goes from 0 to 1.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface ModelPreferences {
  hints?: ModelHint[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/**
 * Whether the model may, must or must not use a tool.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface ToolChoice {
  mode?: "auto" | "required" | "none" | undefined;
}

/**
 * The params of `sampling/createMessage`.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface CreateMessageParams extends RequestParams {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string | undefined;
  modelPreferences?: ModelPreferences | undefined;
  /** @deprecated since 2025-11-25 (SEP-2596): leave it out. Earliest removal: 2027-07-28, with sampling. */
  includeContext?: "none" | "thisServer" | "allServers" | undefined;
  temperature?: number | undefined;
  stopSequences?: string[] | undefined;
  metadata?: JsonObject | undefined;
  tools?: Tool[] | undefined;
  toolChoice?: ToolChoice | undefined;
  task?: TaskRequest | undefined;
}

/**
 * The result of `sampling/createMessage`.
 * @deprecated since 2026-07-28 (SEP-2577): servers call models themselves. Earliest removal: 2027-07-28.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or the model's own word. */
  stopReason?: string | undefined;
}

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
