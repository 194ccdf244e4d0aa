/** Completion: suggestions for an argument while a user types it. */
import type { RequestParams, Result } from "./message-base.js";
import { requestFields, resultFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { array, boolean, integer, object, oneOf, optional, record, string, tagged } from "./shape.js";

/** Points at a prompt by name. */
export interface PromptReference {
  type: "ref/prompt";
  name: string;
  title?: string | undefined;
}

/** Points at a resource template by its text. */
export interface ResourceTemplateReference {
  type: "ref/resource";
  uri: string;
}

/** The prompt or template whose argument is completed. */
export type CompletionReference = PromptReference | ResourceTemplateReference;

/** The argument that is completed, and its text so far. */
export interface CompletionArgument {
  name: string;
  value: string;
}

/** Arguments that were settled before; since 2025-06-18. */
export interface CompletionContext {
  arguments?: { [name: string]: string } | undefined;
}

/** The params of `completion/complete`. */
export interface CompleteParams extends RequestParams {
  ref: CompletionReference;
  argument: CompletionArgument;
  context?: CompletionContext | undefined;
}

/** The suggestions, best first. */
export interface Completion {
  /** At most 100. */
  values: string[];
  total?: number | undefined;
  hasMore?: boolean | undefined;
}

/** The result of `completion/complete`. */
export interface CompleteResult extends Result {
  completion: Completion;
}

const referenceShape: Shape = tagged("type", {
  "ref/prompt": object<PromptReference>({ type: oneOf("ref/prompt"), name: string, title: optional(string) }),
  "ref/resource": object<ResourceTemplateReference>({ type: oneOf("ref/resource"), uri: string }),
});

export const completeParamsShape: Shape = object<CompleteParams>({
  ...requestFields,
  ref: referenceShape,
  argument: object<CompletionArgument>({ name: string, value: string }),
  context: optional(object<CompletionContext>({ arguments: optional(record(string)) })),
});

export const completionShape: Shape = object<Completion>({
  values: array(string),
  total: optional(integer),
  hasMore: optional(boolean),
});

export const completeResultShape: Shape = object<CompleteResult>({ ...resultFields, completion: completionShape });
