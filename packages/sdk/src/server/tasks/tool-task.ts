/** The option `task` of a tool. becomes-task.ts decides whether a call becomes a task. */
import { checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../../errors/sdk-error.js";
import { isJsonObject } from "../../runtime/json.js";
import { tasksMissing } from "./missing-tasks.js";

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

/** @throws {SdkError} `invalid-argument`, also on a server without tasks. */
export function checkToolTask(
  owner: string,
  given: ToolTask | undefined,
  servesTasks: boolean,
): ToolTaskOptions | undefined {
  if (given === undefined) return undefined;
  if (!servesTasks) throw tasksMissing(owner);
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
