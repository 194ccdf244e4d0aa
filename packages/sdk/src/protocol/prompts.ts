/** Prompts: message templates that a server offers to users. */

import type { JsonObject } from "../runtime/json.js";
import type { ContentBlock, Role } from "./content.js";
import { contentBlockShape, roleShape } from "./content.js";
import type { Icon } from "./implementation.js";
import { iconShape } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import { inputResponseFields } from "./input-required.js";
import type { CacheHint, PageParams, PageResult, Result } from "./message-base.js";
import { cacheFields, pageResultFields, resultFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { array, boolean, jsonObject, object, optional, record, string } from "./shape.js";

/** One argument that a prompt takes. */
export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

/** A prompt as a list shows it. */
export interface Prompt {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  icons?: Icon[] | undefined;
  _meta?: JsonObject | undefined;
}

/** One message of a filled-in prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** The params of `prompts/list`. */
export type ListPromptsParams = PageParams;

/** The result of `prompts/list`. */
export interface ListPromptsResult extends PageResult, CacheHint {
  prompts: Prompt[];
}

/** The params of `prompts/get`. */
export interface GetPromptParams extends InputResponseParams {
  name: string;
  arguments?: { [name: string]: string } | undefined;
}

/** The result of `prompts/get`. */
export interface GetPromptResult extends Result {
  description?: string | undefined;
  messages: PromptMessage[];
}

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
