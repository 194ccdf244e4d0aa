/** Structured output held against the schemas its tools were listed with. A schema that cannot be used fails only its own tool. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import type { CallToolResult, Tool } from "../protocol/tools.js";
import { type CompiledSchema, type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import { describeIssues } from "../schema/validation.js";

/** A server may rename its tools at every listing; those listed longest ago are forgotten first. */
const MAX_KNOWN_TOOLS = 10_000;

interface KnownTool {
  readonly schema: JsonObject | undefined;
  /** The schema as text: a listing that brings the same again costs no compilation. */
  readonly text: string | undefined;
  compiled?: CompiledSchema;
}

export class ToolOutputs {
  readonly #tools = new Map<string, KnownTool>();
  readonly #options: CompileSchemaOptions;

  constructor(options: CompileSchemaOptions) {
    this.#options = options;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema: schema } of tools) {
      const text = JSON.stringify(schema);
      const before = this.#tools.get(name);
      this.#tools.delete(name);
      this.#tools.set(name, before && before.text === text ? before : { schema, text });
    }
    for (const oldest of this.#tools.keys()) {
      if (this.#tools.size <= MAX_KNOWN_TOOLS) break;
      this.#tools.delete(oldest);
    }
  }

  knows(name: string): boolean {
    return this.#tools.has(name);
  }

  /** @throws {SdkError} `invalid-result` if the output is missing or breaks the schema, `unusable-schema` if the schema does. */
  async check(name: string, result: CallToolResult): Promise<void> {
    const known = this.#tools.get(name);
    if (!known?.schema || result.isError) return;
    if (result.structuredContent === undefined) {
      throw new SdkError(
        "invalid-result",
        `tools/call "${name}": the tool has an output schema but sent no structuredContent`,
      );
    }
    known.compiled ??= compileSchema(known.schema, "output", this.#options);
    const checked = await known.compiled.validate(result.structuredContent);
    if (checked.ok) return;
    throw new SdkError(
      "invalid-result",
      `tools/call "${name}": ${describeIssues(checked.issues, "structuredContent")}`,
    );
  }
}
