/** Structured output held against the schemas its tools were listed with. A schema that cannot be used fails only its own tool. */
import { SdkError } from "../errors/sdk-error.js";
import type { CallToolResult, Tool } from "../protocol/tools.js";
import { type CompiledSchema, type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import { describeIssues } from "../schema/validation.js";

export class ToolOutputs {
  readonly #tools = new Map<string, { readonly tool: Tool; compiled?: CompiledSchema }>();
  readonly #options: CompileSchemaOptions;

  constructor(options: CompileSchemaOptions) {
    this.#options = options;
  }

  learn(tools: readonly Tool[]): void {
    for (const tool of tools) this.#tools.set(tool.name, { tool });
  }

  knows(name: string): boolean {
    return this.#tools.has(name);
  }

  /** @throws {SdkError} `invalid-result` if the output is missing or breaks the schema, `unusable-schema` if the schema does. */
  async check(name: string, result: CallToolResult): Promise<void> {
    const known = this.#tools.get(name);
    const schema = known?.tool.outputSchema;
    if (!known || !schema || result.isError) return;
    if (result.structuredContent === undefined) {
      throw new SdkError(
        "invalid-result",
        `tools/call "${name}": the tool has an output schema but sent no structuredContent`,
      );
    }
    known.compiled ??= compileSchema(schema, "output", this.#options);
    const checked = await known.compiled.validate(result.structuredContent);
    if (checked.ok) return;
    throw new SdkError(
      "invalid-result",
      `tools/call "${name}": ${describeIssues(checked.issues, "structuredContent")}`,
    );
  }
}
