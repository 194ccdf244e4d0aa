/** A request that becomes a task: its form, its record, the time that it is kept, and the error if it is too large. */
import { checkWholeNumber } from "../errors/option-checks.js";
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { jsonBytes } from "../runtime/json-size.js";
import { createTaskRecord, type NewTask, type TaskInput, type TaskRecord } from "./task-record.js";
import type { TaskRunner } from "./task-work.js";

/** A request that becomes a task. */
export interface TaskCreation extends TaskInput, Pick<NewTask, "principal" | "method" | "scopes" | "mayRerun"> {
  /** Milliseconds to keep the task, at most `maxTtlMs`; null for no limit. @defaultValue defaultTtlMs of the engine */
  readonly ttlMs?: number | null | undefined;
  /** Milliseconds between two polls. @defaultValue pollIntervalMs of the engine */
  readonly pollIntervalMs?: number | undefined;
}

/** Options of `TaskEngine.create`. */
export interface TaskStart {
  /** Decides where this work runs. @defaultValue the runner of the engine */
  readonly runner?: TaskRunner | undefined;
}

/** Limits of the engine that a new task follows. */
interface CreationLimits {
  readonly defaultTtlMs: number;
  readonly maxTtlMs: number;
  readonly pollIntervalMs: number;
  readonly maxTaskBytes: number;
}

/** The record and the input of a new task. @throws {SdkError} `invalid-argument` for a poll interval that is no whole number from 1 */
export function newTask(
  request: TaskCreation,
  limits: CreationLimits,
  hasOwnRunner: boolean,
  createdAt: number,
): { readonly record: TaskRecord; readonly input: TaskInput } {
  const { params, context, pollIntervalMs = limits.pollIntervalMs } = request;
  checkWholeNumber("pollIntervalMs", pollIntervalMs, 1);
  const input: TaskInput = { params, context };
  const inputBytes = jsonBytes(input, limits.maxTaskBytes);
  const ttlMs = ttlWithin(limits, request.ttlMs);
  return {
    record: createTaskRecord({ ...request, inputBytes, ttlMs, pollIntervalMs, hasOwnRunner, createdAt }),
    input,
  };
}

/** The time to live of a task: the one that its caller asks for, within the limits. Null for no limit. */
function ttlWithin({ defaultTtlMs, maxTtlMs }: CreationLimits, asked: number | null | undefined): number | null {
  const wanted = asked === undefined ? defaultTtlMs : (asked ?? Number.POSITIVE_INFINITY);
  const ttlMs = Math.min(wanted >= 1 ? Math.floor(wanted) : 1, maxTtlMs);
  return ttlMs === Number.POSITIVE_INFINITY ? null : ttlMs;
}

/** Turns the error for a task over the limit into one for the caller whose request was too large. */
export async function refusingLarge<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof SdkError && error.code === "too-large" ? invalidParams(error.message) : error;
  }
}
