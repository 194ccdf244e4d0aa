/** Records for tests of stores. */
import { createTaskRecord, type NewTask, type TaskInput, type TaskRecord } from "./task-record.js";

export const INPUT: TaskInput = { params: {} };

/** A task that works since `createdAt`. */
export function newRecord(given: Partial<NewTask> = {}): TaskRecord {
  const defaults = { method: "tools/call", inputBytes: 0, mayRerun: false, ttlMs: 60_000, pollIntervalMs: 1_000 };
  return createTaskRecord({ ...defaults, createdAt: Date.now(), ...given });
}

/** The record one version later. */
export function nextRecord(record: TaskRecord, change: Partial<TaskRecord> = {}): TaskRecord {
  return { ...record, ...change, version: record.version + 1 };
}
