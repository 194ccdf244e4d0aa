/** The tools of a server: `tools/list` and `tools/call`. */
import { invalidParams } from "../errors/protocol-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { isAtLeast } from "../protocol/revisions.js";
import { requireOpen } from "../routing/request-context.js";
import { describeIssues } from "../schema/validation.js";
import { isUnfinished } from "./input/input-required.js";
import { Registry } from "./registry.js";
import type { ServerContext } from "./server-context.js";
import type { RegisteredTool } from "./tool-definition.js";
import { ToolError } from "./tool-error.js";
import { toolErrorResult, toToolResult } from "./tool-result.js";

export class Tools {
  readonly registry: Registry<RegisteredTool>;

  constructor(pageSize: number, onChange: () => void) {
    this.registry = new Registry("tools", pageSize, onChange);
  }

  list(params: JsonObject, context: ServerContext): JsonObject {
    const isLegacy = context.era === "legacy";
    return this.registry.page("tools", params.cursor, context.era, (tool) =>
      isLegacy ? tool.legacyListing : tool.listing,
    );
  }

  async call(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const name = String(params.name);
    const tool = this.registry.get(name);
    if (!tool) throw invalidParams(`Unknown tool: ${name}`);
    const args = isJsonObject(params.arguments) ? params.arguments : {};
    const validated = tool.input.validate(args);
    const checked = validated instanceof Promise ? await validated : validated;
    if (!checked.ok) return refuseArguments(name, describeIssues(checked.issues, "arguments"), context);
    requireOpen(context);
    try {
      const returned = await tool.handler(checked.value, context);
      if (isUnfinished(returned)) return { ...returned };
      return await toToolResult(tool, returned, context.revision);
    } catch (error) {
      if (error instanceof ToolError) return toolErrorResult(error.message);
      throw error;
    }
  }
}

/** From 2025-11-25 on the model is to see what was wrong and mend it; before, the call was malformed. */
function refuseArguments(name: string, complaint: string, context: ServerContext): JsonObject {
  const message = `tools/call "${name}": ${complaint}`;
  if (isAtLeast(context.revision, "2025-11-25")) return toolErrorResult(message);
  throw invalidParams(message);
}
