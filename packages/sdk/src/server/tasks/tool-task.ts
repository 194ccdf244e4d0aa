/** The option `task` of a tool, and the decision whether a call becomes a task. */

import { checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError, withErrorPrefix } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { tasks } from "../../tasks/extension/tasks-extension.js";
import { requireExtension } from "../extensions.js";
import type { ServerContext } from "../server-context.js";

/** How a tool runs as a task. */
export interface ToolTaskOptions {
  /** `optional`: clients without tasks wait for the result of the call. `required`: the server refuses their calls. */
  readonly mode: "optional" | "required";
  /** Milliseconds that a task is kept; null for no limit. At most `maxTtlMs` of the server. @defaultValue defaultTtlMs of the server */
  readonly ttlMs?: number | null | undefined;
  /** Milliseconds that clients should wait between two polls. @defaultValue pollIntervalMs of the server */
  readonly pollIntervalMs?: number | undefined;
  /** Run the handler again if the server restarts meanwhile. Answers and results of `once` are kept. @defaultValue the task fails */
  readonly rerun?: true | undefined;
  /**
   * `later`: the handler runs inside the call until it calls `context.startTask()`. Its questions up to there are rounds of the
   * call. In 2025-11-25 the task starts at once.
   * @defaultValue the task starts before the handler
   */
  readonly starts?: "later" | undefined;
}

/** The option `task` of a tool. */
export type ToolTask = "optional" | "required" | ToolTaskOptions;

const OPTIONS: OptionTable<ToolTaskOptions> = {
  mode: "string",
  ttlMs: true,
  pollIntervalMs: true,
  rerun: "boolean",
  starts: "string",
};
const MODES = ["optional", "required"];

/** @throws {SdkError} `invalid-argument` */
export function checkToolTask(owner: string, given: ToolTask | undefined): ToolTaskOptions | undefined {
  if (given === undefined) return undefined;
  const task: ToolTaskOptions = typeof given === "string" ? { mode: given } : given;
  if (!isJsonObject(task) || !MODES.includes(task.mode)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: task: expected "optional", "required" or { mode: "optional", … }`,
    );
  }
  checkOptions(`${owner}: task`, task, OPTIONS);
  withErrorPrefix(`${owner}: task`, () => {
    if (task.ttlMs !== undefined && task.ttlMs !== null) checkWholeNumber("ttlMs", task.ttlMs, 1);
    if (task.pollIntervalMs !== undefined) checkWholeNumber("pollIntervalMs", task.pollIntervalMs, 1);
  });
  if (task.starts !== undefined && task.rerun === true) {
    const complaint =
      "rerun needs a task that starts at once: the answers before startTask() are not stored; leave out starts";
    throw new SdkError("invalid-argument", `${owner}: task: ${complaint}`);
  }
  return task;
}

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
