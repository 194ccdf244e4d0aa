/**
 * The leases of tasks that this process runs as a worker of a queue. A lease is in the record of its task, so that the store decides
 * which worker runs the task. task-record.ts has the rules.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { timerMs } from "../runtime/timers.js";
import { leaseLost, type RunningTask } from "./running-task.js";
import type { TaskChanges } from "./task-changes.js";
import { type TaskRecord, withLease, withRun } from "./task-record.js";

/** A lease outlives two renewals that the store fails to take. */
const RENEWALS_PER_LEASE = 3;

export class RunLeases {
  readonly #changes: TaskChanges;
  readonly #leaseMs: number;
  readonly #onLost: (run: RunningTask, reason: Error) => void;
  readonly #onError: ErrorCallback;

  constructor(
    changes: TaskChanges,
    leaseMs: number,
    onLost: (run: RunningTask, reason: Error) => void,
    onError: ErrorCallback,
  ) {
    this.#changes = changes;
    this.#leaseMs = leaseMs;
    this.#onLost = onLost;
    this.#onError = onError;
  }

  /** Begins a run. Undefined if another worker runs the task, or the task has ended. */
  async begin(run: RunningTask): Promise<{ readonly record: TaskRecord; readonly isRerun: boolean } | undefined> {
    const begun = await this.#changes.apply(run.taskId, (record, now) => withRun(record, this.#leaseMs, now));
    const lease = begun?.isChanged ? begun.record.run : undefined;
    if (!begun || !lease) return undefined;
    run.leaseNumber = lease.number;
    return { record: begun.record, isRerun: lease.number > 1 };
  }

  /** Renews the lease until the run aborts, or the returned function is called. */
  keep(run: RunningTask): () => void {
    const timer = setInterval(() => void this.#renew(run, this.#leaseMs), timerMs(this.#leaseMs / RENEWALS_PER_LEASE));
    timer.unref?.();
    const stop = () => clearInterval(timer);
    run.signal.addEventListener("abort", stop, { once: true });
    return stop;
  }

  /** Lets another worker begin at once. */
  async release(run: RunningTask): Promise<void> {
    if (run.leaseNumber !== undefined) await this.#renew(run, 0);
  }

  async #renew(run: RunningTask, leaseMs: number): Promise<void> {
    const { taskId } = run;
    try {
      const renewed = await this.#changes.apply(taskId, (record, now) =>
        withLease(record, run.leaseNumber, leaseMs, now),
      );
      if (renewed && !run.owns(renewed.record)) this.#onLost(run, leaseLost(taskId));
    } catch (cause) {
      this.#onError(new SdkError("handler-failed", `The lease of task ${taskId} could not be extended`, { cause }));
    }
  }
}
