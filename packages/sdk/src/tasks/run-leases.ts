/**
 * The leases of tasks that this process runs as a worker of a queue. A lease is in the record of its task, so that the store decides
 * which worker runs the task. task-record.ts has the rules.
 */
import { SdkError } from "../errors/sdk-error.js";
import { type Backoff, backoffMs } from "../runtime/backoff.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { timerMs, waitMs } from "../runtime/timers.js";
import { type LeaseConfirmation, leaseLost, type RunningTask } from "./running-task.js";
import type { ChangedTask, TaskChanges } from "./task-changes.js";
import { type TaskLease, type TaskRecord, withLease, withReleasedLease, withRun } from "./task-record.js";

/** A lease outlives two renewals that the store fails to take. */
const RENEWALS_PER_LEASE = 3;
/** Delays while the store fails to take a lease: six seconds in all. */
const DELAYS: Backoff = { initialDelayMs: 100, maxDelayMs: 5_000 };
const MAX_RETRIES = 6;

export class RunLeases implements LeaseConfirmation {
  readonly #changes: TaskChanges;
  readonly #leaseMs: number;
  readonly #now: () => number;
  readonly #onLost: (run: RunningTask, reason: Error) => void;
  readonly #onError: ErrorCallback;

  constructor(
    changes: TaskChanges,
    leaseMs: number,
    now: () => number,
    onLost: (run: RunningTask, reason: Error) => void,
    onError: ErrorCallback,
  ) {
    this.#changes = changes;
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#onLost = onLost;
    this.#onError = onError;
  }

  /** Begins a run. Undefined if another worker runs the task, or the task has ended. Rejects if the store fails repeatedly. */
  async begin(run: RunningTask): Promise<TaskRecord | undefined> {
    const begun = await this.#take(run);
    if (!begun?.isChanged) return undefined;
    run.lease = begun.record.run;
    if (!run.isEnded) return begun.record;
    // The engine was closed while the store took the lease.
    await this.release(run);
    return undefined;
  }

  async #take({ taskId, signal }: RunningTask): Promise<ChangedTask | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#changes.apply(taskId, (record, now) => withRun(record, this.#leaseMs, now));
      } catch (error) {
        if (attempt === MAX_RETRIES || !(await waitMs(backoffMs(attempt, DELAYS), signal))) throw error;
      }
    }
  }

  /** Renews the lease until the run aborts, or the returned function is called. */
  keep(run: RunningTask): () => void {
    const renew = () => this.#reporting(run, (lease) => this.#extend(run, lease));
    const timer = setInterval(() => void renew(), timerMs(this.#leaseMs / RENEWALS_PER_LEASE));
    timer.unref?.();
    const stop = () => clearInterval(timer);
    run.signal.addEventListener("abort", stop, { once: true });
    return stop;
  }

  /** Extends the lease if a renewal is missing by the own clock, or if that clock was set back. */
  async confirm(run: RunningTask, lease: TaskLease): Promise<boolean> {
    const leftMs = lease.until - this.#now();
    const isFresh = leftMs > this.#leaseMs / RENEWALS_PER_LEASE && leftMs <= this.#leaseMs;
    return isFresh || this.#extend(run, lease);
  }

  /** Lets another worker begin at once. */
  async release(run: RunningTask): Promise<void> {
    await this.#reporting(run, ({ number }) =>
      this.#changes.apply(run.taskId, (record, now) => withReleasedLease(record, number, run.hasBegun, now)),
    );
  }

  /** False if the task is over or another worker has begun it. */
  async #extend(run: RunningTask, { number }: TaskLease): Promise<boolean> {
    const { taskId } = run;
    const renewed = await this.#changes.apply(taskId, (record, now) => withLease(record, number, this.#leaseMs, now));
    if (renewed && !run.owns(renewed.record)) this.#onLost(run, leaseLost(taskId));
    if (!renewed?.isChanged) return false;
    run.lease = renewed.record.run;
    return true;
  }

  async #reporting({ taskId, lease }: RunningTask, change: (lease: TaskLease) => Promise<unknown>): Promise<void> {
    try {
      if (lease !== undefined) await change(lease);
    } catch (cause) {
      this.#onError(
        new SdkError("handler-failed", `The lease of task ${taskId} could not be extended or released`, { cause }),
      );
    }
  }
}

/** A run, as far as the end of its task needs it. */
export type TaskOwner = Pick<RunningTask, "taskId" | "owns">;

/** The owner of a task that no worker of a queue runs. */
export function unleased(taskId: string): TaskOwner {
  return { taskId, owns: () => true };
}
