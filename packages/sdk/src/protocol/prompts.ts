/** Prompts: message templates that a server offers to users. */

import type { JsonObject } from "../runtime/json.js";
import type { CacheHint } from "./caching.js";
import type { ContentBlock, Role } from "./content.js";
import type { Icon } from "./implementation.js";
import type { InputResponseParams } from "./input-required.js";
import type { PageParams, PageResult, Result } from "./message-base.js";

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
