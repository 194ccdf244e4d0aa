/**
 * Follows a task of the extension to its end on the client. Meanwhile its questions are answered (task-questions.ts). Cancels the task if
 * its caller gives up.
 */
import { fromWireError } from "../../errors/error-mapping.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import type { DetailedTask } from "./task-messages.js";
import { cancelledTask, cancelQuietly, StatusReports } from "./task-polling.js";
import { TaskQuestions } from "./task-questions.js";
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
  // Aborts with the call, for a question that gets no answer, and at the end.
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  const updates = new TaskUpdates(taskId, call, ended.signal);
  const questions = new TaskQuestions(taskId, call, ended.signal, (error) => ended.abort(error));
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
    // A poll that was aborted rejects with an error of its own.
    const reason = ended.signal.aborted ? ended.signal.reason : error;
    questions.close(reason);
    // A question that nobody answers would keep the task waiting until it expires.
    if (ended.signal.aborted && call.mode !== "resume") await cancelQuietly(taskId, call);
    throw reason;
  } finally {
    signal.removeEventListener("abort", onAbort);
    questions.close();
    updates.close();
    ended.abort();
  }
}

function outcomeOf({ taskId, status, statusMessage, result, error }: DetailedTask): JsonObject | undefined {
  if (result !== undefined) return result;
  if (error !== undefined) throw fromWireError(error);
  if (status === "cancelled") throw cancelledTask(taskId, statusMessage);
  return undefined;
}
