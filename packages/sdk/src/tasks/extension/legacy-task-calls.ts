/**
 * Calls of tools of 2025-11-25 that become tasks, on the client: which calls get the param `task`, and how a client follows a task
 * to its end. An open `tasks/result` carries the questions of the task, which the client's handlers answer.
 */
import { ProtocolError } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { Task } from "../../protocol/tasks.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { isTerminal } from "../task-record.js";
import { cancelledTask, pollIntervalOf, StatusReports, waitFor } from "./task-polling.js";

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
  const support = await call.taskSupport({ lists: isStarted });
  if (support === "required" || (support === "optional" && isStarted)) return send({ ...params, task });
  try {
    return await send(isStarted ? params : undefined);
  } catch (error) {
    // The client has not listed the tool yet, which may need a task.
    const isRefused = error instanceof ProtocolError && error.code === ErrorCode.methodNotFound;
    if (!isRefused || (await call.taskSupport({ lists: true })) !== "required") throw error;
    return send({ ...params, task });
  }
}

/**
 * Resolves with the result of a task.
 * @throws {ProtocolError} the error of a failed task. @throws {SdkError} `request-aborted` for a cancelled task.
 */
async function followLegacyTask(created: Task, call: ExtensionCall): Promise<JsonObject> {
  const { taskId } = created;
  const { signal = new AbortController().signal } = call;
  const reports = new StatusReports(call.onProgress);
  const results = new ResultRequest(taskId, call);
  try {
    for (let task = created; ; ) {
      if (isTerminal(task)) return await resultOf(task, call);
      reports.report(task.statusMessage);
      const result = await results.wait(task, signal);
      if (result) return result;
      signal.throwIfAborted();
      // The connection has checked the task.
      task = (await call.request("tasks/get", { taskId })) as unknown as Task;
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
  /** Resolves with undefined if the request fails. */
  #open: Promise<JsonObject | undefined> | undefined;

  constructor(taskId: string, call: ExtensionCall) {
    this.#taskId = taskId;
    this.#call = call;
  }

  /** Waits for the time of the next poll. Resolves with the result if it arrives before. */
  async wait({ status, pollInterval }: Task, signal: AbortSignal): Promise<JsonObject | undefined> {
    if (status === "input_required") this.#open ??= this.#request();
    let result: JsonObject | undefined;
    // A request that failed ends no wait, so that the client opens the next one only after a poll.
    const arrived = new Promise<void>((resolve) => {
      void this.#open?.then((answer) => {
        result = answer;
        if (answer) resolve();
        else this.#open = undefined;
      });
    });
    await waitFor(pollIntervalOf(pollInterval), signal, arrived);
    return result;
  }

  close(): void {
    this.#closed.abort();
  }

  #request(): Promise<JsonObject | undefined> {
    const options = { timeoutMs: Number.POSITIVE_INFINITY, signal: this.#closed.signal };
    // The next poll says whether the task has failed or the request was lost.
    return this.#call.request("tasks/result", { taskId: this.#taskId }, options).catch(() => undefined);
  }
}

/** The caller gets the reason of the abort, whether or not the server could be told. */
async function cancelQuietly(taskId: string, { request }: ExtensionCall): Promise<void> {
  await request("tasks/cancel", { taskId }, { ignoresAbort: true }).catch(() => undefined);
}
