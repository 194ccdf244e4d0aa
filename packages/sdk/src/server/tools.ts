/** The tools of a server: `tools/list` and `tools/call`. */

import { invalidParams } from "../errors/protocol-error.js";
import { describeIssues, type ValidationResult } from "../json-schema/index.js";
import { isAtLeast } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import { shorten } from "../runtime/shorten.js";
import { isUnfinished } from "./input/input-required.js";
import { listFilter, privatePage, type ScopedLists } from "./list-filter.js";
import { Registry } from "./registry.js";
import type { ServerContext } from "./server-context.js";
import type { ServerTasks } from "./tasks/server-tasks.js";
import type { RegisteredTool } from "./tool-definition.js";
import { toolErrorResult, toToolResult } from "./tool-result.js";

export class Tools {
  readonly registry: Registry<RegisteredTool>;

  readonly #lists: ScopedLists;
  readonly #tasks: ServerTasks | undefined;

  constructor(pageSize: number, lists: ScopedLists, tasks: ServerTasks | undefined, onChange: () => void) {
    this.#lists = lists;
    this.#tasks = tasks;
    this.registry = new Registry("tools", pageSize, onChange);
  }

  list(params: JsonObject, context: ServerContext): JsonObject {
    const { era, revision } = context;
    const isLegacy = era === "legacy";
    const hasTasks = revision === "2025-11-25";
    const describe = (tool: RegisteredTool) => {
      if (hasTasks && tool.taskListing) return tool.taskListing;
      return isLegacy ? tool.legacyListing : tool.listing;
    };
    const isListed = listFilter(this.#lists, context, this.registry);
    const page = this.registry.page("tools", params.cursor, hasTasks ? revision : era, describe, isListed);
    return privatePage(page, isListed !== undefined, context);
  }

  /** Synchronous if the handler and the schemas are. */
  call(params: JsonObject, context: ServerContext): JsonObject | PromiseLike<JsonObject> {
    const name = String(params.name);
    const tool = this.registry.get(name);
    if (!tool) throw invalidParams(`Unknown tool: ${shorten(name)}`);
    const args = isJsonObject(params.arguments) ? params.arguments : {};
    const tasks = this.#tasks?.becomesTask(tool, params, context) ? this.#tasks : undefined;
    return mapMaybe(tool.input.validate(args), (checked) =>
      tasks && checked.ok ? tasks.start({ tool, checked, params, context }) : runTool(tool, checked, context),
    );
  }
}

/** Validated arguments reach the handler. Others are refused. */
export function runTool(
  tool: RegisteredTool,
  checked: ValidationResult,
  context: ServerContext,
): JsonObject | PromiseLike<JsonObject> {
  if (!checked.ok) {
    return refuseArguments(tool.listing.name, describeIssues(checked.issues, "arguments"), context);
  }
  context.routed.requireOpen();
  if (tool.task !== undefined) context.beginTask ??= nothingToBegin;
  return mapMaybe(tool.handler(checked.value, context), (returned) =>
    isUnfinished(returned) ? { ...returned } : toToolResult(tool, returned, context.routed),
  );
}

async function nothingToBegin(): Promise<void> {
  // The client waits for the result of the call, or the handler runs inside its task from the start.
}

/** Since 2025-11-25 the model reads the fault in the result. Older revisions answer -32602. */
function refuseArguments(name: string, complaint: string, context: ServerContext): JsonObject {
  const message = `tools/call "${name}": ${complaint}`;
  if (isAtLeast(context.revision, "2025-11-25")) return toolErrorResult(message);
  throw invalidParams(message);
}
