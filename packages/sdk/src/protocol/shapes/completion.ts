/** Shapes of completion. */
import type {
  CompleteParams,
  CompleteResult,
  Completion,
  CompletionArgument,
  CompletionContext,
  PromptReference,
  ResourceTemplateReference,
} from "../completion.js";
import type { Shape } from "../shape.js";
import { array, boolean, integer, object, oneOf, optional, record, string, tagged } from "../shape.js";
import { requestFields, resultFields } from "./message-base.js";

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
