/** Follows a task to its end on the client: polls it, answers its questions, and cancels it if its caller gives up. */
import { fromWireError } from "../../errors/error-mapping.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import { waitMs } from "../../runtime/timers.js";
import type { DetailedTask, TaskState } from "./task-messages.js";
import { cancelTask, getTask, updateTask } from "./task-methods.js";

/** The interval of a server that suggests none. */
const DEFAULT_POLL_INTERVAL_MS = 1_000;
const MIN_POLL_INTERVAL_MS = 50;
const MAX_POLL_INTERVAL_MS = 60_000;

/** Questions that a server may show at once. */
const MAX_OPEN_QUESTIONS = 64;
/** Questions of one task. */
const MAX_QUESTIONS = 1_024;

/** The part of a client's call that following a task needs. */
export type TaskCall = Pick<ExtensionCall, "request" | "answer" | "signal">;

/**
 * Resolves with the result of a task.
 * @throws {ProtocolError} the error of a failed task.
 * @throws {SdkError} `request-aborted` for a cancelled task, `too-large` or `too-many-rounds` for one that asks too much.
 */
export async function followTask(created: TaskState, call: TaskCall): Promise<JsonObject> {
  const { taskId } = created;
  // Made per call: workers refuse an AbortController in global scope.
  const { signal = new AbortController().signal } = call;
  const answered = new Set<string>();
  try {
    for (let task: DetailedTask = created; ; ) {
      const outcome = outcomeOf(task);
      if (outcome !== undefined) return outcome;
      await answerQuestions(task, answered, call, signal);
      await waitMs(pollIntervalOf(task), signal);
      signal.throwIfAborted();
      task = await readTask(taskId, call);
    }
  } catch (error) {
    // A question that nobody answers would keep the task waiting until it expires.
    if (signal.aborted || error instanceof UnansweredError) await cancelQuietly(taskId, call);
    signal.throwIfAborted();
    throw error instanceof UnansweredError ? error.cause : error;
  }
}

/** The questions of a task get no answer: a handler of the client failed, or there are too many. */
class UnansweredError extends Error {}

async function readTask(taskId: string, { request }: TaskCall): Promise<DetailedTask> {
  // The method's schema has passed.
  return (await request(getTask, { taskId })) as unknown as DetailedTask;
}

function outcomeOf({ taskId, status, statusMessage, result, error }: DetailedTask): JsonObject | undefined {
  if (result !== undefined) return result;
  if (error !== undefined) throw fromWireError(error);
  if (status !== "cancelled") return undefined;
  throw new SdkError("request-aborted", `The task ${taskId} was cancelled${statusMessage ? `: ${statusMessage}` : ""}`);
}

/** Answers each question once, however often the server shows it. */
async function answerQuestions(
  { taskId, inputRequests = {} }: DetailedTask,
  answered: Set<string>,
  { request, answer }: TaskCall,
  signal: AbortSignal,
): Promise<void> {
  const open = Object.entries(inputRequests).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const refusal = refusalOf(taskId, open.length, answered.size);
  if (refusal) throw new UnansweredError("", { cause: refusal });
  const answers = open.map(async ([key, question]) => [key, await answer(question)] as const);
  // A user may take hours to answer, so an aborted call does not wait for it.
  const responses = await unlessAborted(Promise.all(answers), signal).catch((cause: unknown) => {
    throw new UnansweredError("", { cause });
  });
  await request(updateTask, { taskId, inputResponses: Object.fromEntries(responses) });
  for (const [key] of open) answered.add(key);
}

function refusalOf(taskId: string, open: number, answered: number): SdkError | undefined {
  if (open > MAX_OPEN_QUESTIONS) {
    return new SdkError(
      "too-large",
      `Task ${taskId} asks ${open} questions at once, ${MAX_OPEN_QUESTIONS} are allowed`,
    );
  }
  if (open + answered <= MAX_QUESTIONS) return undefined;
  return new SdkError("too-many-rounds", `Task ${taskId} still asks after ${answered} questions; it was cancelled`);
}

/** Rejects with the reason of the signal as soon as it aborts. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function pollIntervalOf({ pollIntervalMs = DEFAULT_POLL_INTERVAL_MS }: TaskState): number {
  return Math.min(Math.max(pollIntervalMs, MIN_POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS);
}

/** The caller gets the reason of the abort, whether or not the server could be told. */
async function cancelQuietly(taskId: string, { request }: TaskCall): Promise<void> {
  await request(cancelTask, { taskId }, { ignoresAbort: true }).catch(() => undefined);
}
