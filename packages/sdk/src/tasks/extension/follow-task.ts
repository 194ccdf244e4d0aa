/**
 * Follows a task of the extension to its end on the client. Meanwhile its questions are answered (task-questions.ts). Cancels the task if
 * its caller gives up.
 */
import { fromWireError } from "../../errors/error-mapping.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import type { DetailedTask } from "./task-messages.js";
import { cancelledTask, cancelQuietly, StatusReports } from "./task-polling.js";
import { TaskQuestions, UnansweredError } from "./task-questions.js";
import { TaskUpdates } from "./task-updates.js";

/** The part of a client's call that following a task needs. */
export type TaskCall = Pick<
  ExtensionCall,
  "request" | "answer" | "listen" | "signal" | "onProgress" | "mode" | "maxInputRequests"
>;

/**
 * Resolves with the result of a task.
 * @throws {ProtocolError} the error of a failed task.
 * @throws {SdkError} `request-aborted` for a cancelled task, `too-large` or `too-many-rounds` for one that asks too much.
 */
export async function followTask(created: DetailedTask, call: TaskCall): Promise<JsonObject> {
  const { taskId } = created;
  const { signal } = call;
  // Aborts with the call, and for a question that gets no answer.
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  const questions = new TaskQuestions(taskId, call, (error) => ended.abort(error));
  const updates = new TaskUpdates(taskId, call, ended.signal);
  const reports = new StatusReports(call.onProgress);
  try {
    for (let task = created; ; task = await updates.next(task)) {
      const outcome = outcomeOf(task);
      if (outcome !== undefined) return outcome;
      reports.report(task.statusMessage);
      // The callback for progress may have aborted the call.
      signal.throwIfAborted();
      questions.show(task);
    }
  } catch (error) {
    const isUnanswered = error instanceof UnansweredError;
    const reason = isUnanswered ? error.cause : error;
    questions.close(signal.aborted ? signal.reason : reason);
    // A question that nobody answers would keep the task waiting until it expires.
    if ((signal.aborted || isUnanswered) && call.mode !== "resume") await cancelQuietly(taskId, call);
    signal.throwIfAborted();
    throw reason;
  } finally {
    signal.removeEventListener("abort", onAbort);
    questions.close();
    updates.close();
  }
}

function outcomeOf({ taskId, status, statusMessage, result, error }: DetailedTask): JsonObject | undefined {
  if (result !== undefined) return result;
  if (error !== undefined) throw fromWireError(error);
  if (status === "cancelled") throw cancelledTask(taskId, statusMessage);
  return undefined;
}
