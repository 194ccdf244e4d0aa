/** Tasks as 2025-11-25 sends them, by whichever side runs the task. */
import { invalidParams, ProtocolError } from "../errors/protocol-error.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Task } from "../protocol/tasks.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { isoTime } from "./extension/task-messages.js";
import type { TaskCancellation } from "./task-engine.js";
import { type TaskRecord, type TaskSummary, taskSummary } from "./task-record.js";

export function legacyTask(record: TaskRecord): Task & JsonObject {
  return listedTask(taskSummary(record));
}

/** A task of a `tasks/list`. */
export function listedTask(summary: TaskSummary): Task & JsonObject {
  const { taskId, status, isError, statusMessage, ttlMs, pollIntervalMs } = summary;
  const message = isError ? "The tool failed; the result says why." : statusMessage;
  return {
    taskId,
    status: isError ? "failed" : status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: isoTime(summary.createdAt),
    lastUpdatedAt: isoTime(summary.lastUpdatedAt),
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  };
}

/** The time to live that the param `task` of a request asks for. */
export function requestedTtl({ task }: JsonObject): number | undefined {
  // The shape of the params has passed.
  return (task as { readonly ttl?: number }).ttl;
}

/** The answer to `tasks/result`. @throws {ProtocolError} the error of a failed task, -32602 for a cancelled one. */
export function legacyOutcome({ taskId, result, error, statusMessage }: TaskRecord): JsonObject {
  if (result) return { ...result, _meta: { ...(isJsonObject(result._meta) && result._meta), ...relatedTask(taskId) } };
  if (error) throw new ProtocolError(error.code, error.message, { data: error.data });
  throw invalidParams(statusMessage ?? "The task was cancelled");
}

/** The answer to `tasks/cancel`. @throws {ProtocolError} -32602 for a task that had ended before. */
export function legacyCancellation({ record, isCancelled }: TaskCancellation): Task & JsonObject {
  if (!isCancelled) throw invalidParams(`The task is not running any more: it is ${legacyTask(record).status}`);
  return legacyTask(record);
}

/** The `_meta` member of messages that belong to a task. */
export function relatedTask(taskId: string): JsonObject {
  return { [MetaKey.relatedTask]: { taskId } };
}
