/** The errors of tasks: those that failed tasks are stored with, and those that callers and handlers get. */
import type { WireError } from "../errors/error-mapping.js";
import { invalidParams, type ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { TaskRecord } from "./task-record.js";

export const COULD_NOT_START: WireError = { code: ErrorCode.internalError, message: "The task could not be started" };
export const LEASE_NOT_TAKEN: WireError = {
  code: ErrorCode.internalError,
  message: "The task could not be started: its store failed several times; start the task again",
};
export const NOT_STORED: WireError = {
  code: ErrorCode.internalError,
  message: "The result of the task could not be stored",
};
export const RESULT_TOO_LARGE: WireError = {
  code: ErrorCode.internalError,
  message: "The result of the task is larger than the server stores",
};
export const UNKNOWN_WORK: WireError = {
  code: ErrorCode.internalError,
  message: "The server that was to run the task does not know its work",
};
export const RESTARTED: WireError = {
  code: ErrorCode.internalError,
  message:
    "The server restarted while the task was running; the work may be half done, so check before you start the task again",
};

const CRASHED: WireError = {
  code: ErrorCode.internalError,
  message: "The processes that ran the task ended too often; the task is not started again",
};

/** The error of a task that its last run did not end, and that does not run again. */
export function rerunRefusal({ run, mayRerun }: TaskRecord, maxCrashes: number): WireError | undefined {
  if (run?.isRerun && !mayRerun) return RESTARTED;
  return (run?.crashes ?? 0) > maxCrashes ? CRASHED : undefined;
}

export function taskNotFound(): ProtocolError {
  return invalidParams("Task not found: the id is unknown, or the task has expired");
}

export function failure(message: string, cause: unknown): SdkError {
  return new SdkError("handler-failed", message, { cause });
}

export function cancelled({ statusMessage = "The task is over" }: TaskRecord): SdkError {
  return new SdkError("request-aborted", statusMessage);
}

export function expired(): SdkError {
  return new SdkError("request-timeout", "The task expired before its work was done");
}

export function givenBack(): SdkError {
  return new SdkError("connection-closed", "The worker of the task is closing, and leaves the task to another one");
}

export function closed(): SdkError {
  return new SdkError("connection-closed", "The task engine is closed");
}
