/** Which arguments of which tools are to be repeated in headers, as their definitions say (`x-mcp-header`). */
import { SdkError } from "../errors/sdk-error.js";
import { findToolHeaders, type ToolHeader } from "../protocol/tool-header-annotations.js";
import type { Tool } from "../protocol/tools.js";
import { paramHeaders } from "../transport/http/param-headers.js";

export class MirroredArguments {
  readonly #byTool = new Map<string, readonly ToolHeader[]>();
  readonly #report: (error: Error) => void;

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  /** The tools that can be called: one whose annotations are invalid is left out, and reported. */
  learn(tools: readonly Tool[]): Tool[] {
    return tools.filter(({ name, inputSchema }) => {
      const found = findToolHeaders(inputSchema);
      this.#byTool.delete(name);
      if (!found.ok) {
        this.#report(new SdkError("unusable-schema", `The tool "${name}" was left out: ${found.reason}`));
      } else if (found.headers.length > 0) this.#byTool.set(name, found.headers);
      return found.ok;
    });
  }

  /** Undefined where there is nothing to repeat. */
  headersFor(name: string, args: unknown): Readonly<Record<string, string>> | undefined {
    const headers = this.#byTool.get(name);
    return headers && paramHeaders(headers, args);
  }
}
