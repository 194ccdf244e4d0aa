/** The decision whether a call of a tool becomes a task. */
import { ProtocolError } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { JsonObject } from "../../runtime/json.js";
import { tasks } from "../../tasks/extension/tasks-extension.js";
import { requireExtension } from "../extensions.js";
import type { ServerContext } from "../server-context.js";
import type { ToolTaskOptions } from "./tool-task.js";

/** A tool, as far as the decision needs it. */
interface DecidedTool {
  readonly listing: { readonly name: string };
  readonly task: ToolTaskOptions | undefined;
}

/**
 * Whether a call becomes a task. In the modern era the client must have declared the extension; in 2025-11-25 the call must have
 * the param `task`. Not called for servers without tasks, which ignore that param.
 * @throws {ProtocolError} -32021 (legacy: -32601) for a tool that needs a task, -32601 for a legacy tool that allows none.
 */
export function becomesTask(
  { listing: { name }, task }: DecidedTool,
  params: JsonObject,
  context: ServerContext,
): boolean {
  const what = `tools/call "${name}"`;
  if (context.era === "modern") {
    if (task === undefined) return false;
    if (task.mode === "required") requireExtension(tasks, context, what);
    return context.extension(tasks) !== undefined;
  }
  const isAugmented = context.revision === "2025-11-25" && params.task !== undefined;
  if (task === undefined && isAugmented) {
    throw new ProtocolError(ErrorCode.methodNotFound, `${what} does not run as a task; call it without "task"`);
  }
  if (task?.mode === "required" && !isAugmented) {
    const remedy = 'call it with "task", which needs protocol revision 2025-11-25 or the tasks extension';
    throw new ProtocolError(ErrorCode.methodNotFound, `${what} runs only as a task; ${remedy}`);
  }
  return task !== undefined && isAugmented;
}
