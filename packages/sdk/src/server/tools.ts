/** The tools of a server: `tools/list` and `tools/call`. */

import { invalidParams } from "../errors/protocol-error.js";
import { describeIssues, type ValidationResult } from "../json-schema/index.js";
import { isAtLeast } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import { isUnfinished } from "./input/input-required.js";
import { listFilter, privatePage, type ScopedLists } from "./list-filter.js";
import { Registry } from "./registry.js";
import type { ServerContext } from "./server-context.js";
import type { RegisteredTool } from "./tool-definition.js";
import { toolErrorResult, toToolResult } from "./tool-result.js";

export class Tools {
  readonly registry: Registry<RegisteredTool>;

  readonly #lists: ScopedLists;

  constructor(pageSize: number, lists: ScopedLists, onChange: () => void) {
    this.#lists = lists;
    this.registry = new Registry("tools", pageSize, onChange);
  }

  list(params: JsonObject, context: ServerContext): JsonObject {
    const isLegacy = context.era === "legacy";
    const describe = (tool: RegisteredTool) => (isLegacy ? tool.legacyListing : tool.listing);
    const isListed = listFilter(this.#lists, context, this.registry);
    const page = this.registry.page("tools", params.cursor, context.era, describe, isListed);
    return privatePage(page, isListed !== undefined, context);
  }

  /** Synchronous if the handler and the schemas are. */
  call(params: JsonObject, context: ServerContext): JsonObject | PromiseLike<JsonObject> {
    const name = String(params.name);
    const tool = this.registry.get(name);
    if (!tool) throw invalidParams(`Unknown tool: ${name}`);
    const args = isJsonObject(params.arguments) ? params.arguments : {};
    return mapMaybe(tool.input.validate(args), (checked) => runTool(tool, checked, context));
  }
}

function runTool(
  tool: RegisteredTool,
  checked: ValidationResult,
  context: ServerContext,
): JsonObject | PromiseLike<JsonObject> {
  if (!checked.ok) {
    return refuseArguments(tool.listing.name, describeIssues(checked.issues, "arguments"), context);
  }
  context.routed.requireOpen();
  return mapMaybe(tool.handler(checked.value, context), (returned) =>
    isUnfinished(returned) ? { ...returned } : toToolResult(tool, returned, context.revision),
  );
}

/** Since 2025-11-25 the model reads the fault in the result. Older revisions answer -32602. */
function refuseArguments(name: string, complaint: string, context: ServerContext): JsonObject {
  const message = `tools/call "${name}": ${complaint}`;
  if (isAtLeast(context.revision, "2025-11-25")) return toolErrorResult(message);
  throw invalidParams(message);
}
