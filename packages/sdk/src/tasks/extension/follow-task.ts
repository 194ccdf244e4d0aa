/** Follows a task of the extension to its end on the client: answers its questions, and cancels it if its caller gives up. */
import { fromWireError } from "../../errors/error-mapping.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import { withAbort } from "../../runtime/timers.js";
import { MAX_QUESTIONS } from "../task-record.js";
import { repeatPoll } from "./poll-retries.js";
import type { DetailedTask } from "./task-messages.js";
import { updateTask } from "./task-methods.js";
import { cancelledTask, cancelQuietly, StatusReports } from "./task-polling.js";
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
  const answered = new Set<string>();
  const updates = new TaskUpdates(taskId, call, signal);
  const reports = new StatusReports(call.onProgress);
  try {
    for (let task = created; ; task = await updates.next(task)) {
      const outcome = outcomeOf(task);
      if (outcome !== undefined) return outcome;
      reports.report(task.statusMessage);
      // The callback for progress may have aborted the call.
      signal.throwIfAborted();
      await answerQuestions(task, answered, call, signal);
    }
  } catch (error) {
    const isUnanswered = error instanceof UnansweredError;
    // A question that nobody answers would keep the task waiting until it expires.
    if ((signal.aborted || isUnanswered) && call.mode !== "resume") await cancelQuietly(taskId, call);
    signal.throwIfAborted();
    throw isUnanswered ? error.cause : error;
  } finally {
    updates.close();
  }
}

/** The questions of a task get no answer: a handler of the client failed, or there are too many. */
class UnansweredError extends Error {}

function outcomeOf({ taskId, status, statusMessage, result, error }: DetailedTask): JsonObject | undefined {
  if (result !== undefined) return result;
  if (error !== undefined) throw fromWireError(error);
  if (status === "cancelled") throw cancelledTask(taskId, statusMessage);
  return undefined;
}

/** Answers each question once, however often the server shows it. */
async function answerQuestions(
  { taskId, inputRequests = {} }: DetailedTask,
  answered: Set<string>,
  { request, answer, maxInputRequests }: TaskCall,
  signal: AbortSignal,
): Promise<void> {
  const open = Object.entries(inputRequests).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const refusal = refusalOf(taskId, open.length, answered.size, maxInputRequests);
  if (refusal) throw new UnansweredError("", { cause: refusal });
  const answers = open.map(async ([key, question]) => [key, await answer(question)] as const);
  // A user may take hours to answer, so an aborted call does not wait for it.
  const responses = await withAbort(Promise.all(answers), signal, () => signal.reason).catch((cause: unknown) => {
    throw new UnansweredError("", { cause });
  });
  // The server ignores an answer that it has already.
  const inputResponses = Object.fromEntries(responses);
  await repeatPoll(() => request(updateTask, { taskId, inputResponses }), signal);
  for (const [key] of open) answered.add(key);
}

function refusalOf(taskId: string, open: number, answered: number, maxOpen: number): SdkError | undefined {
  if (open > maxOpen) {
    const advice = "raise maxInputRequests if that is right";
    return new SdkError(
      "too-large",
      `Task ${taskId} asks ${open} questions at once, ${maxOpen} are allowed; ${advice}`,
    );
  }
  if (open + answered <= MAX_QUESTIONS) return undefined;
  return new SdkError("too-many-rounds", `Task ${taskId} still asks after ${answered} questions`);
}
