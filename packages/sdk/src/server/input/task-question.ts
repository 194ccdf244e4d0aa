/** Questions that a client of 2025-11-25 runs as tasks: the server polls the task, and fetches the answer when it has ended. */
import { SdkError } from "../../errors/sdk-error.js";
import type { ClientCapabilities } from "../../protocol/capabilities.js";
import type { InputRequest } from "../../protocol/input-required.js";
import type { Revision } from "../../protocol/revisions.js";
import { explain } from "../../protocol/shape.js";
import { createTaskResultShape, type Task, taskResultShape } from "../../protocol/tasks.js";
import type { RequestContext } from "../../routing/request-context.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { waitMs } from "../../runtime/timers.js";
import { cancelledTask, pollIntervalOf } from "../../tasks/extension/task-polling.js";
import { isTerminal } from "../../tasks/task-record.js";

/** Whether the client offers to run a question as a task. */
export function runsAsTask(
  { method }: Pick<InputRequest, "method">,
  { revision, clientCapabilities }: { readonly revision: Revision; readonly clientCapabilities: ClientCapabilities },
): boolean {
  const { elicitation, sampling } = clientCapabilities.tasks?.requests ?? {};
  if (revision !== "2025-11-25" || method === "roots/list") return false;
  return (method === "elicitation/create" ? elicitation?.create : sampling?.createMessage) !== undefined;
}

export interface TaskQuestionOptions {
  /** Time for the whole question. */
  readonly timeoutMs: number;
  /** Aborting it rejects the question and cancels the task. @defaultValue none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves with the client's answer to a question with the param `task`.
 * @throws {SdkError} `request-timeout`, `request-aborted`, `invalid-result`
 */
export async function askAsTask(
  context: RequestContext,
  { method, params }: InputRequest,
  { timeoutMs, signal }: TaskQuestionOptions,
): Promise<JsonObject> {
  const deadline = Date.now() + timeoutMs;
  const left = () => ({ timeoutMs: Math.max(1, deadline - Date.now()), ...(signal && { signal }) });
  const ttl = Number.isFinite(timeoutMs) ? { ttl: timeoutMs } : {};
  const answer = await context.request(method, { ...params, task: ttl }, left());
  // A client may answer at once all the same.
  if (!isJsonObject(answer.task)) return answer;
  requireShape(createTaskResultShape(answer), method);
  const { taskId } = answer.task;
  try {
    // The shape has passed.
    for (let task = answer.task as unknown as Task; ; ) {
      if (task.status === "cancelled") throw cancelledTask(task.taskId, task.statusMessage);
      if (isTerminal(task)) return await context.request("tasks/result", { taskId }, left());
      await waitMs(pollIntervalOf(task.pollInterval), context.signal);
      signal?.throwIfAborted();
      if (Date.now() >= deadline) throw late(method, timeoutMs);
      const state = await context.request("tasks/get", { taskId }, left());
      requireShape(taskResultShape(state), "tasks/get");
      task = state as unknown as Task;
    }
  } catch (error) {
    // The client may stop asking its user. A task that has ended cannot be cancelled.
    void context.request("tasks/cancel", { taskId }).catch(() => undefined);
    throw error;
  }
}

function requireShape(fault: ReturnType<typeof createTaskResultShape>, method: string): void {
  if (fault) throw new SdkError("invalid-result", `${method}: ${explain(fault, "result")}`);
}

function late(method: string, timeoutMs: number): SdkError {
  return new SdkError("request-timeout", `The task of ${method} was not done within ${timeoutMs} ms`);
}
