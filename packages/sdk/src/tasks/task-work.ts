/** The interfaces of a task's work: the run that it talks to its caller by, and the runner that decides where it runs. */
import type { JsonObject } from "../runtime/json.js";

/** One run of the work of a task. After a restart the work may run again, with the answers and results of earlier runs. */
export interface TaskRun {
  readonly taskId: string;
  /** Aborts if the task is cancelled or expires, and when the engine closes. */
  readonly signal: AbortSignal;
  /** Shows a message with the status. Frequent messages replace each other. The first 1,024 characters are kept. */
  status(message: string): void;
  /**
   * Asks the caller and resolves with the raw answer. The task needs input until no question is open. An earlier run that asked
   * the same request under this key may have the answer already. Aborting the signal withdraws the question.
   * @throws {SdkError} `questions-changed` if the key stood for another request before
   */
  ask(key: string, request: JsonObject, options?: { readonly signal?: AbortSignal | undefined }): Promise<JsonObject>;
  /**
   * Runs a side effect once per task. Resolves once the result is stored. The result must be JSON.
   * @throws {SdkError} `request-aborted` if another worker of a queue has begun the task
   */
  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value>;
}

/** Resolves with the result of the task. A `ProtocolError` that it throws becomes the error of the task. */
export type TaskWork = (run: TaskRun) => Promise<JsonObject>;

/** Decides where and when the work of a task runs. */
export interface TaskRunner {
  /**
   * Called once the task is stored. Either calls `run`, now or later, which never rejects; or has another process call
   * `server.runTask` or `TaskEngine.run` for this id. If `start` throws or rejects, the task fails.
   */
  start(taskId: string, run: () => Promise<void>): void | Promise<void>;
  /**
   * Whether the runner starts a task again whose process has ended, as a durable queue does. A server that recovers tasks then calls `start`
   * again for unfinished tasks of ended processes, which a queue that has them ignores. Tasks of handlers that called
   * `context.startTask()` fail.
   * @defaultValue false
   */
  readonly recovers?: boolean | undefined;
}

/** Runs the work in this process, at once. */
export const IN_PROCESS: TaskRunner = { start: (_taskId, run) => void run() };
