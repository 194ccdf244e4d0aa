/** Shapes of listing and getting prompts. */
import type {
  GetPromptParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "../prompts.js";
import type { Shape } from "../shape.js";
import { array, boolean, jsonObject, object, optional, record, string } from "../shape.js";
import { contentBlockShape, roleShape } from "./content.js";
import { iconShape } from "./icon.js";
import { inputResponseFields } from "./input-required.js";
import { cacheFields, pageResultFields, resultFields } from "./message-base.js";

const promptArgumentShape: Shape = object<PromptArgument>({
  name: string,
  title: optional(string),
  description: optional(string),
  required: optional(boolean),
});

export const promptShape: Shape = object<Prompt>({
  name: string,
  title: optional(string),
  description: optional(string),
  arguments: optional(array(promptArgumentShape)),
  icons: optional(array(iconShape)),
  _meta: optional(jsonObject),
});

export const listPromptsResultShape: Shape = object<ListPromptsResult>({
  ...pageResultFields,
  ...cacheFields,
  prompts: array(promptShape),
});

export const getPromptParamsShape: Shape = object<GetPromptParams>({
  ...inputResponseFields,
  name: string,
  arguments: optional(record(string)),
});

export const promptMessageShape: Shape = object<PromptMessage>({ role: roleShape, content: contentBlockShape });

export const getPromptResultShape: Shape = object<GetPromptResult>({
  ...resultFields,
  description: optional(string),
  messages: array(promptMessageShape),
});
