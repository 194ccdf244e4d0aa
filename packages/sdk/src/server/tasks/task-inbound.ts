/**
 * The request of a handler that runs inside a task. It ends with the run of the task, not with the answer to the call. Progress
 * becomes the status message. Other notifications go to the legacy connection of the call; the modern era has none for tasks.
 */
import type { InboundRequest, RequestId } from "../../dispatch/dispatcher.js";
import { SdkError } from "../../errors/sdk-error.js";
import { MetaKey } from "../../protocol/meta-keys.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { markHandled } from "../../runtime/maybe-promise.js";
import { relatedTask } from "../../tasks/legacy-task-messages.js";
import type { TaskRun } from "../../tasks/task-work.js";
import type { Caller } from "../../transport/caller.js";

/** The call that became the task. */
export interface TaskCallSource {
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  /** Sends a notification to the legacy client of the call; undefined if it cannot be reached. */
  readonly notify: ((method: string, params: JsonObject) => Promise<void>) | undefined;
}

export class TaskInbound implements InboundRequest {
  readonly id: RequestId;
  readonly method = "tools/call";
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  readonly #run: TaskRun;
  readonly #notify: TaskCallSource["notify"];
  #isSettled = false;

  constructor(run: TaskRun, { id, params, caller, notify }: TaskCallSource) {
    this.id = id;
    this.params = params;
    this.caller = caller;
    this.#run = run;
    this.#notify = notify;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get isSettled(): boolean {
    return this.#isSettled || this.signal.aborted;
  }

  /** Ends the request: the handler has returned. */
  settle(): void {
    this.#isSettled = true;
  }

  async notify(method: string, params: JsonObject = {}): Promise<void> {
    if (this.isSettled) throw ended(method);
    if (method === "notifications/progress") {
      this.#run.status(statusOf(params));
      if (this.#progressToken === undefined) return;
    }
    const token = method === "notifications/progress" ? { progressToken: this.#progressToken } : {};
    const _meta = { ...(isJsonObject(params._meta) && params._meta), ...relatedTask(this.#run.taskId) };
    // A rejection means that the connection has closed. The task goes on without it.
    await this.#notify?.(method, { ...params, ...token, _meta }).catch(() => undefined);
  }

  request(method: string): Promise<JsonObject> {
    const complaint = `${method}: a task sends no requests of its own; ask with context.elicit or context.sample`;
    return markHandled(Promise.reject(new SdkError("method-not-in-revision", complaint)));
  }

  /** The token of the call. It stays valid as long as the task. */
  get #progressToken(): unknown {
    return isJsonObject(this.params._meta) ? this.params._meta[MetaKey.progressToken] : undefined;
  }
}

/** The message of a progress report, or its numbers. */
function statusOf({ progress, total, message }: JsonObject): string {
  if (typeof message === "string") return message;
  return total === undefined ? `${progress}` : `${progress} of ${total}`;
}

function ended(method: string): SdkError {
  return new SdkError("context-ended", `${method} came after the task had ended`);
}
