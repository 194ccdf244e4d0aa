/** Tool registrations: their configuration, and the checked form that the registry holds. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../errors/sdk-error.js";
import type { Icon } from "../protocol/implementation.js";
import type { InputRequiredResult } from "../protocol/input-required.js";
import { findToolHeaders, type ToolHeader } from "../protocol/tool-header-annotations.js";
import { toolShape } from "../protocol/tool-shape.js";
import type { Tool, ToolAnnotations } from "../protocol/tools.js";
import type { ExtensionResult } from "../routing/result-type.js";
import type { JsonObject } from "../runtime/json.js";
import type { CompiledSchema, CompileSchemaOptions } from "../schema/compile-schema.js";
import { compileSchema } from "../schema/compile-schema.js";
import { refuseSchemaMembers, requireObjectSchema } from "../schema/object-schema.js";
import { wrapOutputSchema } from "../schema/output-wrapping.js";
import type { Schema, SchemaArguments, SchemaInput } from "../schema/schema.js";
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
import { checkToolTask, type ToolTask, type ToolTaskOptions } from "./tasks/tool-task.js";

/** The configuration of a tool. */
export interface ToolConfig<Input extends Schema | undefined, Output extends Schema | undefined> {
  /** Name for user interfaces. @defaultValue none: clients show the name of the tool */
  title?: string | undefined;
  /** Tells the model what the tool does, and when to call it. @defaultValue none */
  description?: string | undefined;
  /** Schema of the arguments: a Standard Schema with JSON Schema support, or plain JSON Schema. @defaultValue no arguments */
  input?: Input;
  /** Schema of the structured result. With it the handler returns a value of this schema. @defaultValue none */
  output?: Output;
  /**
   * Scopes that the caller's access token needs. A caller without an access token is refused. Without a caller, as over
   * stdio, scopes are not checked.
   * @defaultValue none
   */
  scopes?: readonly string[] | undefined;
  /**
   * Whether lists contain the tool. A function decides for each list request, and makes lists private to their caller. A hidden
   * tool can still be called.
   * @defaultValue true
   */
  listed?: ListVisibility | undefined;
  /** Hints on how the tool behaves, such as `readOnlyHint`. @defaultValue none */
  annotations?: ToolAnnotations | undefined;
  /** Pictures for user interfaces. @defaultValue none */
  icons?: Icon[] | undefined;
  /** Whether calls run as tasks, for clients that know tasks. Needs the server option `tasks`. @defaultValue clients wait for the result */
  task?: ToolTask | undefined;
  /** Listed as the tool's `_meta`. @defaultValue none */
  meta?: JsonObject | undefined;
  /** Whether the server repeats structured content as JSON text, for clients that only read text. @defaultValue true */
  textMirror?: boolean | undefined;
}

/** A full tool result. For structured content without `content`, the server adds the JSON text. */
export interface ToolResult {
  content?: ReturnedBlock[] | undefined;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: JsonObject | undefined;
}

/** The return value of a tool handler: text, content blocks, a full result, or a value of the output schema. */
export type ToolReturn<Output extends Schema | undefined> = Output extends Schema
  ? SchemaInput<Output> | ToolResult | InputRequiredResult | ExtensionResult
  : string | ReturnedBlock[] | ToolResult | InputRequiredResult | ExtensionResult | void;

/** Runs a tool. Gets the output of the `input` schema. */
export type ToolHandler<Input extends Schema | undefined, Output extends Schema | undefined> = (
  args: SchemaArguments<Input>,
  context: ServerContext,
) => ToolReturn<Output> | Promise<ToolReturn<Output>>;

/** A tool ready to be listed and called. */
export interface RegisteredTool {
  readonly listing: Tool;
  /** The listing for the legacy era, whose output schemas must be objects. */
  readonly legacyListing: Tool;
  /** The listing for 2025-11-25, which says whether a tool runs as a task; undefined for a tool without tasks. */
  readonly taskListing: Tool | undefined;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  /** Whether legacy clients get structured content as `{ result: … }`. */
  readonly isWrapped: boolean;
  readonly hasTextMirror: boolean;
  readonly scopes: readonly string[];
  readonly listed: ListVisibility;
  /** The arguments that HTTP headers mirror. */
  readonly headers: readonly ToolHeader[];
  readonly task: ToolTaskOptions | undefined;
  readonly handler: (args: unknown, context: ServerContext) => unknown;
}

const OPTIONS: OptionTable<ToolConfig<Schema, Schema>> = {
  title: true,
  description: true,
  input: true,
  output: true,
  scopes: true,
  listed: true,
  annotations: true,
  icons: true,
  meta: true,
  textMirror: "boolean",
  task: true,
};

const FORM = "tool(name, { description, input }, handler)";
const NO_ARGUMENTS: JsonObject = { type: "object", additionalProperties: false };
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** @throws {SdkError} `invalid-argument` or `unusable-schema`, naming the tool. */
export function defineTool(
  name: string,
  config: ToolConfig<Schema | undefined, Schema | undefined>,
  handler: (args: never, context: ServerContext) => unknown,
  options: CompileSchemaOptions & { readonly allowsAnyName: boolean; readonly servesTasks: boolean },
): RegisteredTool {
  checkRegistration(`tool "${name}"`, FORM, config, handler);
  refuseStraySchemas(`tool "${name}"`, FORM, config);
  checkOptions(`tool "${name}"`, config, OPTIONS);
  if (typeof name !== "string" || !(options.allowsAnyName || TOOL_NAME.test(name))) {
    throw new SdkError(
      "invalid-argument",
      `tool "${name}": a name has 1 to 128 letters, digits, "_", "-" or "."; toolNames: "any" lifts this`,
    );
  }
  const { input: given = NO_ARGUMENTS, output: promised } = config;
  refuseSchemaMembers(given, `tool "${name}": input`);
  if (promised) refuseSchemaMembers(promised, `tool "${name}": output`);
  const input = withErrorPrefix(`tool "${name}": input`, () => compileSchema(given, "input", options));
  requireObjectSchema(input.jsonSchema, `tool "${name}": input`);
  const annotated = findToolHeaders(input.jsonSchema);
  if (!annotated.ok) throw new SdkError("unusable-schema", `tool "${name}": input: ${annotated.reason}`);
  const output =
    promised && withErrorPrefix(`tool "${name}": output`, () => compileSchema(promised, "output", options));
  const wrapped = output && wrapOutputSchema(output.jsonSchema);
  const task = checkToolTask(`tool "${name}"`, config.task, options.servesTasks);
  const listing: Tool = {
    name,
    title: config.title,
    description: config.description,
    inputSchema: input.jsonSchema,
    outputSchema: output?.jsonSchema,
    annotations: config.annotations,
    icons: config.icons,
    _meta: config.meta,
  };
  checkListing(`tool "${name}"`, listing, toolShape);
  const legacyListing: Tool = { ...listing, outputSchema: wrapped?.schema };
  const execution = task && { taskSupport: task.mode };
  return {
    listing: frozenCopy(listing, `tool "${name}"`),
    legacyListing: frozenCopy(legacyListing, `tool "${name}"`),
    taskListing: execution && frozenCopy({ ...legacyListing, execution }, `tool "${name}"`),
    input,
    output,
    isWrapped: wrapped?.isWrapped ?? false,
    hasTextMirror: config.textMirror ?? true,
    scopes: checkScopes(`tool "${name}"`, config.scopes),
    listed: checkListed(`tool "${name}"`, config.listed),
    headers: annotated.headers,
    task,
    // The handler's argument type is the output type of the input schema.
    handler: handler as (args: unknown, context: ServerContext) => unknown,
  };
}
