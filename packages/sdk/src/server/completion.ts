/** `completion/complete`: suggestions for prompt arguments and template variables. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { CompleteParams, Completion } from "../protocol/completion.js";
import { completionShape } from "../protocol/completion.js";
import { explain } from "../protocol/shape.js";
import type { JsonObject } from "../runtime/json.js";
import type { RegisteredPrompt } from "./prompt-definition.js";
import type { Registry } from "./registry.js";
import type { RegisteredResource, RegisteredTemplate } from "./resource-definition.js";
import type { ServerContext } from "./server-context.js";

/** The arguments that the user has already filled in. */
export interface CompletionRequest {
  /** By name. The client decides which it sends. */
  readonly arguments: { readonly [name: string]: string };
}

/** Suggests values for a typed prefix, best first. The server sends the first 100 and counts all in `total`. */
export type Completer = (
  value: string,
  request: CompletionRequest,
  context: ServerContext,
) => string[] | Completion | Promise<string[] | Completion>;

const MAX_VALUES = 100;

interface Completable {
  readonly names: readonly string[];
  readonly completers: { readonly [name: string]: Completer };
}

export class CompletionSources {
  readonly #prompts: Registry<RegisteredPrompt>;
  readonly #resources: Registry<RegisteredResource>;
  readonly #templates: Registry<RegisteredTemplate>;

  constructor(
    prompts: Registry<RegisteredPrompt>,
    resources: Registry<RegisteredResource>,
    templates: Registry<RegisteredTemplate>,
  ) {
    this.#prompts = prompts;
    this.#resources = resources;
    this.#templates = templates;
  }

  async complete(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    // The router has checked the params against the method's shape.
    const { ref, argument, context: settled } = params as unknown as CompleteParams;
    const target = ref.type === "ref/prompt" ? this.#findPrompt(ref.name) : this.#findResource(ref.uri);
    if (!target.names.includes(argument.name)) {
      throw invalidParams(
        `params.argument.name: "${argument.name}" is not one of ${target.names.join(", ") || "none"}`,
      );
    }
    const completer = Object.hasOwn(target.completers, argument.name) ? target.completers[argument.name] : undefined;
    if (!completer) return { completion: { values: [] } };
    const suggested = await completer(argument.value, { arguments: settled?.arguments ?? {} }, context);
    return { completion: toCompletion(suggested) };
  }

  #findPrompt(name: string): Completable {
    const prompt = this.#prompts.get(name);
    if (!prompt) throw invalidParams(`params.ref.name: unknown prompt "${name}"`);
    return { names: (prompt.listing.arguments ?? []).map((known) => known.name), completers: prompt.completers };
  }

  #findResource(uri: string): Completable {
    const template = this.#templates.get(uri);
    if (template) return { names: template.template.variables, completers: template.completers };
    if (this.#resources.get(uri)) return { names: [], completers: {} };
    throw invalidParams(`params.ref.uri: unknown resource template "${uri}"`);
  }
}

function toCompletion(suggested: unknown): JsonObject {
  const completion = Array.isArray(suggested) ? { values: suggested } : suggested;
  const fault = completionShape(completion);
  if (fault) {
    const advice = "return an array of strings, or { values }";
    throw new SdkError(
      "invalid-result",
      `a completer returned no suggestions: ${explain(fault, "completion")}; ${advice}`,
    );
  }
  // `completionShape` has passed.
  const { values, ...counts } = completion as Completion;
  if (values.length <= MAX_VALUES) return { values, ...counts };
  return { total: values.length, ...counts, values: values.slice(0, MAX_VALUES), hasMore: true };
}
