/** Prompt registrations: their configuration, and the checked form that the registry holds. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../errors/sdk-error.js";
import type { Role } from "../protocol/content.js";
import type { Icon } from "../protocol/implementation.js";
import type { InputRequiredResult } from "../protocol/input-required.js";
import type { GetPromptResult, Prompt } from "../protocol/prompts.js";
import { promptShape } from "../protocol/prompts.js";
import type { ExtensionResult } from "../routing/result-type.js";
import type { JsonObject } from "../runtime/json.js";
import { type CompiledSchema, type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import { promptArgumentsOf, refuseSchemaMembers, requireObjectSchema } from "../schema/object-schema.js";
import type { Schema, SchemaArguments } from "../schema/schema.js";
import type { Completer } from "./completion.js";
import { frozenCopy } from "./frozen-copy.js";
import type { ListVisibility } from "./list-filter.js";
import {
  checkListed,
  checkListing,
  checkRegistration,
  checkScopes,
  refuseStraySchemas,
} from "./registration-checks.js";
import type { ReturnedBlock } from "./returned-content.js";
import type { ServerContext } from "./server-context.js";

/** The configuration of a prompt. */
export interface PromptConfig<Input extends Schema | undefined> {
  /** Name for user interfaces. @defaultValue none: clients show the name of the prompt */
  title?: string | undefined;
  /** Tells the user what the prompt is for. @defaultValue none */
  description?: string | undefined;
  /**
   * Schema of the arguments: an object whose properties accept strings, since arguments are strings on the wire. For other
   * types use a schema that converts, such as `z.coerce.number()`; `z.number()` refuses every argument.
   * @defaultValue no arguments
   */
  input?: Input;
  /** Completers of the arguments, by name. @defaultValue none */
  complete?: { readonly [argument: string]: Completer } | undefined;
  /**
   * Scopes that the caller's access token needs. A caller without an access token is refused. Without a caller, as over
   * stdio, scopes are not checked.
   * @defaultValue none
   */
  scopes?: readonly string[] | undefined;
  /**
   * Whether lists contain the prompt. A function decides for each list request, and makes lists private to their caller. A hidden
   * prompt can still be fetched.
   * @defaultValue true
   */
  listed?: ListVisibility | undefined;
  /** Pictures for user interfaces. @defaultValue none */
  icons?: Icon[] | undefined;
  /** Listed as the prompt's `_meta`. @defaultValue none */
  meta?: JsonObject | undefined;
}

/** A message of a prompt. The server encodes bytes as Base64. */
export interface ReturnedMessage {
  role: Role;
  content: ReturnedBlock;
}

/** A full result whose messages may hold bytes. */
export type ReturnedPrompt = Omit<GetPromptResult, "messages"> & { messages: ReturnedMessage[] };

/** The return value of a prompt handler: the text of one user message, messages, a full result, or `inputRequired(…)`. */
export type PromptReturn = string | ReturnedMessage[] | ReturnedPrompt | InputRequiredResult | ExtensionResult;

/** Fills in a prompt. Gets the output of the `input` schema. */
export type PromptHandler<Input extends Schema | undefined> = (
  args: SchemaArguments<Input>,
  context: ServerContext,
) => PromptReturn | Promise<PromptReturn>;

export interface RegisteredPrompt {
  readonly listing: Prompt;
  readonly input: CompiledSchema;
  readonly scopes: readonly string[];
  readonly listed: ListVisibility;
  readonly completers: { readonly [argument: string]: Completer };
  readonly handler: (args: unknown, context: ServerContext) => unknown;
}

const OPTIONS: OptionTable<PromptConfig<Schema>> = {
  title: true,
  description: true,
  input: true,
  complete: "object",
  scopes: true,
  listed: true,
  icons: true,
  meta: true,
};

const FORM = "prompt(name, { description, input }, handler)";
const NO_ARGUMENTS: JsonObject = { type: "object" };

/** @throws {SdkError} `invalid-argument` or `unusable-schema`, naming the prompt. */
export function definePrompt(
  name: string,
  config: PromptConfig<Schema | undefined>,
  handler: (args: never, context: ServerContext) => unknown,
  options: CompileSchemaOptions,
): RegisteredPrompt {
  checkRegistration(`prompt "${name}"`, FORM, config, handler);
  refuseStraySchemas(`prompt "${name}"`, FORM, config);
  checkOptions(`prompt "${name}"`, config, OPTIONS);
  const { input: given = NO_ARGUMENTS } = config;
  refuseSchemaMembers(given, `prompt "${name}": input`);
  const input = withErrorPrefix(`prompt "${name}": input`, () => compileSchema(given, "input", options));
  requireObjectSchema(input.jsonSchema, `prompt "${name}": input`);
  const args = promptArgumentsOf(input.jsonSchema);
  const completers = config.complete ?? {};
  for (const argument of Object.keys(completers)) {
    if (!args.some((each) => each.name === argument)) {
      const known = args.map((each) => each.name).join(", ") || "none";
      throw new SdkError(
        "invalid-argument",
        `prompt "${name}": complete.${argument} names no argument of it: ${known}`,
      );
    }
  }
  const listing: Prompt = {
    name,
    title: config.title,
    description: config.description,
    arguments: args.length > 0 ? args : undefined,
    icons: config.icons,
    _meta: config.meta,
  };
  checkListing(`prompt "${name}"`, listing, promptShape);
  // The handler's argument type is the output type of the input schema.
  const run = handler as (args: unknown, context: ServerContext) => unknown;
  const scopes = checkScopes(`prompt "${name}"`, config.scopes);
  const listed = checkListed(`prompt "${name}"`, config.listed);
  return { listing: frozenCopy(listing, `prompt "${name}"`), input, scopes, listed, completers, handler: run };
}
