/**
 * Calls of tools of 2025-11-25 that become tasks, on the client: which calls get the param `task`, and how a client follows a task
 * to its end. An open `tasks/result` carries the questions of the task, which the client's handlers answer.
 */
import type { Task } from "../../protocol/tasks.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { isTerminal } from "../task-record.js";
import { repeatPoll } from "./poll-retries.js";
import { cancelledTask, cancelQuietly, checkTaskId, pollIntervalOf, StatusReports, waitFor } from "./task-polling.js";

type Send = (params?: JsonObject) => Promise<JsonObject>;

/** Runs in place of a `tools/call` in every revision. Calls of other revisions pass. */
export async function callAsLegacyTask(call: ExtensionCall, send: Send): Promise<JsonObject> {
  const { task: _task, ...plain } = call.params;
  if (call.revision !== "2025-11-25") return send();
  if (call.serverCapabilities?.tasks?.requests?.tools?.call === undefined) {
    return send(call.mode === "start" ? plain : undefined);
  }
  const answer = call.mode === "resume" ? await send() : await sendAugmented(call, send);
  const task = legacyTaskIn(answer);
  return task && call.mode !== "start" ? followLegacyTask(task, call) : answer;
}

/** The task in the answer to a call with the param `task`. */
export function legacyTaskIn({ task, content }: JsonObject): Task | undefined {
  // The connection has checked the task.
  return content === undefined && isJsonObject(task) ? (task as unknown as Task) : undefined;
}

/** Sends a call with `task` if the tool needs a task, or allows one and the caller starts one. */
async function sendAugmented(call: ExtensionCall, send: Send): Promise<JsonObject> {
  const { task = {}, ...params } = call.params;
  const isStarted = call.mode === "start";
  // Servers refuse a call without `task` of a tool that needs a task by an error or by a result, so the list has to say it before.
  const support = await call.taskSupport();
  if (support === "required" || (support === "optional" && isStarted)) return send({ ...params, task });
  return send(isStarted ? params : undefined);
}

/**
 * Resolves with the result of a task.
 * @throws {ProtocolError} the error of a failed task. @throws {SdkError} `request-aborted` for a cancelled task.
 */
async function followLegacyTask(created: Task, call: ExtensionCall): Promise<JsonObject> {
  const { taskId } = created;
  const { signal } = call;
  const reports = new StatusReports(call.onProgress);
  const results = new ResultRequest(taskId, call);
  try {
    for (let task = created; ; ) {
      if (isTerminal(task)) return await resultOf(task, call);
      reports.report(task.statusMessage);
      // The callback for progress may have aborted the call.
      signal.throwIfAborted();
      const result = await results.wait(task, signal);
      if (result) return result;
      signal.throwIfAborted();
      // The connection has checked the task.
      task = (await repeatPoll(() => call.request("tasks/get", { taskId }), signal)) as unknown as Task;
      checkTaskId(taskId, task);
    }
  } catch (error) {
    if (signal.aborted && call.mode !== "resume") await cancelQuietly(taskId, call);
    throw error;
  } finally {
    results.close();
  }
}

async function resultOf({ taskId, status, statusMessage }: Task, call: ExtensionCall): Promise<JsonObject> {
  if (status === "cancelled") throw cancelledTask(taskId, statusMessage);
  return call.request("tasks/result", { taskId });
}

/** The `tasks/result` of a task that needs input. It stays open until the task ends, however long a user takes to answer. */
class ResultRequest {
  readonly #taskId: string;
  readonly #call: ExtensionCall;
  readonly #closed = new AbortController();
  #isOpen = false;
  #result: JsonObject | undefined;
  /** Ends the wait in progress. */
  #onResult: () => void = () => undefined;

  constructor(taskId: string, call: ExtensionCall) {
    this.#taskId = taskId;
    this.#call = call;
  }

  /** Waits for the time of the next poll. Resolves with the result if it arrives before. */
  async wait({ status, pollInterval }: Task, signal: AbortSignal): Promise<JsonObject | undefined> {
    if (status === "input_required" && !this.#isOpen) void this.#open();
    const arrived = new Promise<void>((resolve) => {
      this.#onResult = resolve;
    });
    // The result may have arrived during the last poll.
    if (this.#result === undefined) await waitFor(pollIntervalOf(pollInterval), signal, arrived);
    return this.#result;
  }

  close(): void {
    this.#closed.abort();
  }

  async #open(): Promise<void> {
    this.#isOpen = true;
    const options = { timeoutMs: Number.POSITIVE_INFINITY, signal: this.#closed.signal };
    try {
      this.#result = await this.#call.request("tasks/result", { taskId: this.#taskId }, options);
      this.#onResult();
    } catch {
      // The next poll says whether the task has failed or the request was lost. Only then the client opens the next one.
      this.#isOpen = false;
    }
  }
}
