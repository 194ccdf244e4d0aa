/** The tools of a server: `tools/list` and `tools/call`. */

import { invalidParams } from "../errors/protocol-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { isAtLeast } from "../protocol/revisions.js";
import { requireOpen } from "../routing/request-context.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { describeIssues, type ValidationResult } from "../schema/validation.js";
import { isUnfinished } from "./input/input-required.js";
import { Registry } from "./registry.js";
import { callersPage, listFilter, type ScopedLists } from "./scoped-lists.js";
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
    const isListed = listFilter(this.#lists, context);
    const page = this.registry.page("tools", params.cursor, context.era, describe, isListed);
    return callersPage(page, isListed, context);
  }

  /** The answer of a tool whose handler and schemas are synchronous is there at once. */
  call(params: JsonObject, context: ServerContext): JsonObject | Promise<JsonObject> {
    const name = String(params.name);
    const tool = this.registry.get(name);
    if (!tool) throw invalidParams(`Unknown tool: ${name}`);
    const args = isJsonObject(params.arguments) ? params.arguments : {};
    const validated = tool.input.validate(args);
    if (validated instanceof Promise) return validated.then((checked) => run(tool, checked, context));
    return run(tool, validated, context);
  }
}

function run(
  tool: RegisteredTool,
  checked: ValidationResult,
  context: ServerContext,
): JsonObject | Promise<JsonObject> {
  if (!checked.ok) {
    return refuseArguments(tool.listing.name, describeIssues(checked.issues, "arguments"), context);
  }
  requireOpen(context);
  const returned = tool.handler(checked.value, context);
  return isPromiseLike(returned) ? finishLater(tool, returned, context) : toResult(tool, returned, context);
}

async function finishLater(
  tool: RegisteredTool,
  returning: PromiseLike<unknown>,
  context: ServerContext,
): Promise<JsonObject> {
  return toResult(tool, await returning, context);
}

function toResult(tool: RegisteredTool, returned: unknown, context: ServerContext): JsonObject | Promise<JsonObject> {
  return isUnfinished(returned) ? { ...returned } : toToolResult(tool, returned, context.revision);
}

/** From 2025-11-25 on the model is to see what was wrong and mend it; before, the call was malformed. */
function refuseArguments(name: string, complaint: string, context: ServerContext): JsonObject {
  const message = `tools/call "${name}": ${complaint}`;
  if (isAtLeast(context.revision, "2025-11-25")) return toolErrorResult(message);
  throw invalidParams(message);
}
