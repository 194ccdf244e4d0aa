/** Tasks as the extension `io.modelcontextprotocol/tasks` sends them. The record of a task is in task-record.ts. */
import type { WireError } from "../../errors/error-mapping.js";
import type { InputRequests } from "../../protocol/input-required.js";
import type { TaskStatus } from "../../protocol/tasks.js";
import type { JsonObject } from "../../runtime/json.js";
import { inputRequestsOf, type TaskRecord } from "../task-record.js";

/** A task without its questions and its outcome: the answer to the call that created it. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** An ISO 8601 time. */
  readonly createdAt: string;
  /** An ISO 8601 time. */
  readonly lastUpdatedAt: string;
  /** Milliseconds that the server keeps the task from its creation; null for no limit. */
  readonly ttlMs: number | null;
  /** Milliseconds to wait between two `tasks/get`. @defaultValue 1_000 */
  readonly pollIntervalMs?: number | undefined;
}

/** A task with the member that its status calls for. */
export interface DetailedTask extends TaskState {
  /** The open questions of a task that is `input_required`. */
  readonly inputRequests?: InputRequests | undefined;
  /** The result of a `completed` task. */
  readonly result?: JsonObject | undefined;
  /** The error of a `failed` task. */
  readonly error?: WireError | undefined;
}

export function taskState(record: TaskRecord): TaskState {
  const { taskId, status, statusMessage, ttlMs, pollIntervalMs } = record;
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: isoTime(record.createdAt),
    lastUpdatedAt: isoTime(record.lastUpdatedAt),
    ttlMs,
    pollIntervalMs,
  };
}

export function detailedTask(record: TaskRecord): DetailedTask {
  const { status, result, error } = record;
  return {
    ...taskState(record),
    // Questions are stored as the requests that the server's handlers asked.
    ...(status === "input_required" && { inputRequests: inputRequestsOf(record) as unknown as InputRequests }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

/** A time of a record on the wire, in either era. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
