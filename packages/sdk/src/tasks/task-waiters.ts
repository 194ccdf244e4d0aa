/** Callers that wait for the end of a task. */
import { limitReached } from "../errors/limit-reached.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { Quota } from "../runtime/quota.js";
import type { TaskRecord } from "./task-record.js";

/** One caller that waits. */
export interface TaskWaiter {
  /** Resolves with the finished task. */
  readonly record: Promise<TaskRecord>;
  /** Rejects `record`. */
  reject(reason: unknown): void;
  /** Frees the place of the caller. `record` may stay pending. */
  leave(): void;
}

interface Settle {
  resolve(record: TaskRecord): void;
  reject(reason: unknown): void;
}

export class TaskWaiters {
  readonly #max: number;
  readonly #maxPerPrincipal: number;
  readonly #quota: Quota;
  readonly #byTask = new Map<string, Set<Settle>>();

  constructor(max: number, maxPerPrincipal: number) {
    this.#max = max;
    this.#maxPerPrincipal = maxPerPrincipal;
    this.#quota = new Quota(max, maxPerPrincipal);
  }

  has(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  /** @throws {ProtocolError} 429 if too many callers wait. */
  add(taskId: string, principal: string | undefined): TaskWaiter {
    const full = this.#quota.fullLevel(principal, 1);
    if (full !== undefined) {
      const max = full === "principal" ? this.#maxPerPrincipal : this.#max;
      throw limitReached(full, `Too many requests wait for tasks: at most ${max} at a time`);
    }
    // The executor of a promise runs at once, and sets both.
    const settle = {} as Settle;
    const record = new Promise<TaskRecord>((resolve, reject) => Object.assign(settle, { resolve, reject }));
    const waiters = this.#byTask.get(taskId) ?? new Set();
    waiters.add(settle);
    this.#byTask.set(taskId, waiters);
    this.#quota.take(principal, 1);
    const leave = () => {
      waiters.delete(settle);
      if (waiters.size === 0) this.#byTask.delete(taskId);
      this.#quota.take(principal, -1);
    };
    return { record: markHandled(record), reject: settle.reject, leave };
  }

  resolve(record: TaskRecord): void {
    for (const waiter of this.#byTask.get(record.taskId) ?? []) waiter.resolve(record);
  }

  reject(taskId: string, reason: Error): void {
    for (const waiter of this.#byTask.get(taskId) ?? []) waiter.reject(reason);
  }

  rejectAll(reason: Error): void {
    for (const taskId of this.#byTask.keys()) this.reject(taskId, reason);
  }
}
