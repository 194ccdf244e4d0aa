/**
 * Remembers the parts of listed tools that later calls need: output schemas, and arguments to repeat in headers
 * (`x-mcp-header`). Bounded in tools and bytes; the least recently used or listed tool is forgotten first.
 */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { findToolHeaders, type ToolHeader } from "../protocol/tool-header-annotations.js";
import type { CallToolResult, Tool } from "../protocol/tools.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { jsonBytes, NODE_BYTES, textBytes } from "../runtime/json-size.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import { type CompiledSchema, type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import { paramHeaders } from "../transport/http/message-headers.js";

export interface KnownToolsOptions {
  readonly maxTools: number | undefined;
  readonly maxBytes: number | undefined;
  /** Whether output schemas are kept. */
  readonly checksOutput: boolean;
  readonly compile: CompileSchemaOptions;
  readonly report: (error: Error) => void;
}

/** How a listed tool runs as a task of 2025-11-25. */
export type TaskSupport = "optional" | "required";

interface KnownTool {
  /** The output schema as JSON text: smaller than the parsed schema, and comparable. */
  readonly schemaText: string | undefined;
  /** The schema alone is larger than the bound, so it is not kept. */
  readonly isTooLarge?: true;
  readonly headers: readonly ToolHeader[];
  /** The tool is annotated as read-only or idempotent. */
  readonly isRepeatable: boolean;
  /** Undefined for a tool that does not run as a task. */
  readonly taskSupport: TaskSupport | undefined;
  readonly compiled?: CompiledSchema;
}

const DEFAULT_MAX_TOOLS = 10_000;
const DEFAULT_MAX_BYTES = 33_554_432;

/** Reports to `onError` for one list. */
const MAX_COMPLAINTS = 3;
const MAX_COMPLAINT_LENGTH = 500;

const NO_HEADERS: readonly ToolHeader[] = [];

/** Estimated heap bytes of a compiled schema per character of its text. Measured: 20. */
const COMPILED_BYTES_PER_CHARACTER = 32;

export class KnownTools {
  readonly #options: KnownToolsOptions;
  readonly #tools: BoundedMap<string, KnownTool>;
  #hasForgotten = false;

  constructor(options: KnownToolsOptions) {
    this.#options = options;
    const { maxTools = DEFAULT_MAX_TOOLS, maxBytes = DEFAULT_MAX_BYTES } = options;
    this.#tools = new BoundedMap({ maxEntries: maxTools, maxWeight: maxBytes }, () => this.#onEvicted());
  }

  /** Whether any listed tool has been forgotten. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  knows(name: string): boolean {
    return this.#tools.has(name);
  }

  /**
   * Remembers listed tools. Returns the tools that can be called.
   * @param mirrorsArguments whether arguments are repeated in headers. Tools with invalid annotations are then reported and left out
   */
  learn(tools: readonly Tool[], mirrorsArguments: boolean): Tool[] {
    const complaints: string[] = [];
    const usable = tools.filter((tool) => {
      const found = mirrorsArguments ? findToolHeaders(tool.inputSchema) : undefined;
      if (found?.ok === false) complaints.push(`The tool "${tool.name}" was left out: ${found.reason}`);
      this.#keep(tool, found?.ok ? found.headers : NO_HEADERS);
      return found?.ok !== false;
    });
    this.#reportLeftOut(complaints);
    return usable;
  }

  /** Bounds the number and the length of complaints, since the server chooses both. */
  #reportLeftOut(complaints: readonly string[]): void {
    const shown = complaints.slice(0, MAX_COMPLAINTS).map((complaint) => complaint.slice(0, MAX_COMPLAINT_LENGTH));
    const more = complaints.length - shown.length;
    if (more > 0) shown.push(`${more} more tools of the list were left out`);
    for (const complaint of shown) this.#options.report(new SdkError("unusable-schema", complaint));
  }

  /** Whether a listed tool is annotated as read-only or idempotent. */
  isRepeatable(name: string): boolean {
    return this.#tools.get(name)?.isRepeatable === true;
  }

  /** How a listed tool runs as a task. Undefined if it does not, or is not known. */
  taskSupport(name: string): TaskSupport | undefined {
    return this.#tools.get(name)?.taskSupport;
  }

  /** The headers that repeat arguments of a call; undefined if there are none. */
  headersFor(name: string, args: unknown): Readonly<Record<string, string>> | undefined {
    this.#tools.touch(name);
    const { headers = NO_HEADERS } = this.#tools.get(name) ?? {};
    return headers.length > 0 ? paramHeaders(headers, args) : undefined;
  }

  /** @throws {SdkError} `invalid-result` if the output is missing or invalid, `unusable-schema` if the schema cannot be used. */
  check(name: string, result: CallToolResult): undefined | PromiseLike<undefined> {
    const known = this.#tools.get(name);
    if (!known || result.isError) return;
    if (known.isTooLarge) {
      throw new SdkError(
        "unusable-schema",
        `tools/call "${name}": the tool's output schema is larger than maxKnownToolBytes allows`,
      );
    }
    if (known.schemaText === undefined) return;
    if (result.structuredContent === undefined) {
      throw new SdkError(
        "invalid-result",
        `tools/call "${name}": the tool has an output schema but sent no structuredContent`,
      );
    }
    const validated = this.#compiled(name, known, known.schemaText).validate(result.structuredContent);
    return mapMaybe(validated, (checked) => {
      if (checked.ok) return undefined;
      const complaint = describeIssues(checked.issues, "structuredContent");
      throw new SdkError("invalid-result", `tools/call "${name}": ${complaint}`);
    });
  }

  #keep({ name, outputSchema, annotations, execution }: Tool, headers: readonly ToolHeader[]): void {
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    const taskSupport = execution?.taskSupport === "forbidden" ? undefined : execution?.taskSupport;
    const kept = { headers, isRepeatable, taskSupport };
    const schemaText = this.#options.checksOutput ? JSON.stringify(outputSchema) : undefined;
    const before = this.#tools.get(name);
    // An unchanged schema is not compiled again.
    const compiled = before?.compiled && before.schemaText === schemaText ? before.compiled : undefined;
    if (compiled && this.#set(name, { ...kept, schemaText, compiled })) return;
    if (this.#set(name, { ...kept, schemaText })) return;
    this.#set(name, { ...kept, schemaText: undefined, headers: NO_HEADERS, isTooLarge: true });
  }

  #compiled(name: string, known: KnownTool, schemaText: string): CompiledSchema {
    if (known.compiled) {
      this.#tools.touch(name);
      return known.compiled;
    }
    const compiled = compileSchema(JSON.parse(schemaText), "output", this.#options.compile);
    // If the compiled schema exceeds the bound, only its text is kept, and each call compiles it.
    if (!this.#set(name, { ...known, compiled })) this.#set(name, known);
    return compiled;
  }

  #set(name: string, tool: KnownTool): boolean {
    const { schemaText = "", headers, compiled } = tool;
    const schemaBytes = compiled ? schemaText.length * COMPILED_BYTES_PER_CHARACTER : 0;
    const bytes = NODE_BYTES + textBytes(name) + textBytes(schemaText) + schemaBytes + jsonBytes(headers);
    return this.#tools.set(name, tool, bytes);
  }

  #onEvicted(): void {
    if (this.#hasForgotten) return;
    this.#hasForgotten = true;
    this.#options.report(
      new SdkError(
        "too-large",
        "The server lists more tools than this client remembers (maxKnownTools, maxKnownToolBytes): " +
          'the output of a forgotten tool is checked only with outputChecks: "always"',
      ),
    );
  }
}
