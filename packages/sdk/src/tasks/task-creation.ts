/** A request that becomes a task: its form, the time that it is kept, and the error if it is too large. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { NewTask, TaskInput } from "./task-record.js";
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

/** The time to live of a task: the one that its caller asks for, within the limits. Null for no limit. */
export function ttlWithin(
  { defaultTtlMs, maxTtlMs }: { readonly defaultTtlMs: number; readonly maxTtlMs: number },
  asked: number | null | undefined,
): number | null {
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
