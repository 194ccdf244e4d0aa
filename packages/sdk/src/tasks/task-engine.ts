/**
 * Runs tasks: creates their records, runs their work within limits, passes questions and answers, ends them at their deadline,
 * and recovers them after a restart. Knows nothing of the wire, of eras or of tools. Changes of records are in task-record.ts.
 */
import { mapError, type WireError } from "../errors/error-mapping.js";
import { isTemporary } from "../errors/limit-reached.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { DeadlineQueue } from "../runtime/deadline-queue.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { withTimeout } from "../runtime/timers.js";
import { AbandonedTasks, type WorkOf, workOfStored } from "./abandoned-tasks.js";
import { RunLeases, type TaskOwner, unleased } from "./run-leases.js";
import { RunSlots } from "./run-slots.js";
import { leaseLost, RunningTask } from "./running-task.js";
import { type ChangedTask, TaskChanges, whenAvailable } from "./task-changes.js";
import { newTask, refusingLarge, type TaskCreation, type TaskStart } from "./task-creation.js";
import { type TaskEngineOptions, type TaskEngineSettings, taskEngineSettings } from "./task-engine-options.js";
import {
  COULD_NOT_START,
  cancelled,
  closed,
  expired,
  failure,
  givenBack,
  LEASE_NOT_TAKEN,
  NOT_STORED,
  RESTARTED,
  RESULT_TOO_LARGE,
  rerunRefusal,
  taskNotFound,
  UNKNOWN_WORK,
} from "./task-errors.js";
import {
  expiresAt,
  finished,
  isLeased,
  isTerminal,
  mayBeTaskId,
  type TaskOutcome,
  type TaskRecord,
  withResponses,
} from "./task-record.js";
import type { TaskPage } from "./task-store.js";
import { TaskWaiters } from "./task-waiters.js";
import type { TaskRunner, TaskWork } from "./task-work.js";

/** The result of `cancel`. A task that was finished before is not cancelled. */
export interface TaskCancellation {
  readonly record: TaskRecord;
  readonly isCancelled: boolean;
}

/** The result of `recover`: the number of tasks that run again, and of those that failed. */
export interface TaskRecovery {
  readonly rerun: number;
  readonly failed: number;
}

/**
 * Runs work that outlives the request that started it. Callers poll its state, answer its questions, cancel it or wait for it.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const engine = new TaskEngine({ maxTtlMs: 600_000 });
 * const request = { principal: "alice", method: "tools/call", params: { name: "render" }, mayRerun: true };
 * const { taskId } = await engine.create(request, async (run) => {
 *   run.status("Rendering");
 *   return { content: [{ type: "text", text: "done" }] };
 * });
 * const { status, result } = await engine.finished(taskId, "alice");
 */
export class TaskEngine {
  readonly #settings: TaskEngineSettings;
  readonly #onError: ErrorCallback;
  readonly #changes: TaskChanges;
  readonly #leases: RunLeases;
  readonly #slots: RunSlots;
  readonly #waiters: TaskWaiters;
  /** Tasks that are stored and not handed to the runner yet. */
  readonly #starting = new Set<string>();
  /** Runs that may change their task. */
  readonly #runs = new Map<string, RunningTask>();
  /** Resolve once the outcome of a run is stored, by task. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #abandoned: AbandonedTasks;
  readonly #listeners = new Set<(record: TaskRecord) => unknown>();
  /** Tasks with a run or a waiter in this process. */
  readonly #deadlines: DeadlineQueue<string>;
  readonly #stopWatching: () => void;
  readonly #closing = new AbortController();

  constructor(options: TaskEngineOptions = {}) {
    this.#settings = taskEngineSettings(options);
    const { limits, store, now } = this.#settings;
    this.#onError = createErrorCallback(options.onError);
    this.#changes = new TaskChanges(store, limits.maxTaskBytes, now);
    this.#abandoned = new AbandonedTasks(store, this.#changes, this.#closing.signal, this.#onError);
    const abort = (run: RunningTask, reason: Error) => this.#abort(run, reason);
    this.#leases = new RunLeases(this.#changes, limits.leaseMs, now, abort, this.#onError);
    this.#slots = new RunSlots(limits.maxRunning, limits.maxRunningPerPrincipal);
    this.#waiters = new TaskWaiters(limits.maxWaiters, limits.maxWaitersPerPrincipal);
    this.#deadlines = new DeadlineQueue(now, (taskId) => this.#expire(taskId));
    this.#stopWatching = store.watch((record) => this.#onStored(record));
  }

  /** Tasks whose work runs in this process, also if they are over and their work has not ended yet. */
  get running(): number {
    return this.#slots.used;
  }

  /**
   * Stores a task and then starts its work. Resolves once the task is stored.
   * @throws {ProtocolError} 429 if the store has no room, -32602 for params over the limit
   * @throws {SdkError} `invalid-argument` for a poll interval that is no whole number from 1
   */
  async create(request: TaskCreation, work: TaskWork, { runner }: TaskStart = {}): Promise<TaskRecord> {
    this.#requireOpen();
    const { limits, now, store } = this.#settings;
    const { record, input } = newTask(request, limits, runner !== undefined, now());
    await refusingLarge(async () => this.#changes.requireSize(record));
    this.#starting.add(record.taskId);
    try {
      await store.create(record, input);
      this.#start(record, work, runner);
    } finally {
      this.#starting.delete(record.taskId);
    }
    return record;
  }

  /** @throws {ProtocolError} -32602 if the task is unknown, has expired, or belongs to another principal. */
  async get(taskId: string, principal: string | undefined): Promise<TaskRecord> {
    return owned(mayBeTaskId(taskId) ? await this.#settings.store.get(taskId) : undefined, principal);
  }

  /**
   * Answers open questions of a task, by key. Other keys are ignored.
   * @throws {ProtocolError} as `get`; -32602 for answers over the limit
   */
  async update(
    taskId: string,
    principal: string | undefined,
    inputResponses: { readonly [key: string]: JsonObject },
  ): Promise<TaskRecord> {
    const change = (record: TaskRecord, now: number) => withResponses(record, inputResponses, now);
    const { record } = await refusingLarge(() => this.#changeOwned(taskId, principal, change));
    return record;
  }

  /** Cancels an unfinished task: its status changes at once, and the signal of its work aborts. @throws {ProtocolError} as `get` */
  async cancel(
    taskId: string,
    principal: string | undefined,
    statusMessage = "The task was cancelled by request.",
  ): Promise<TaskCancellation> {
    const outcome: TaskOutcome = { status: "cancelled", statusMessage };
    const change = (record: TaskRecord, now: number) => finished(record, outcome, now);
    const { record, isChanged } = await this.#changeOwned(taskId, principal, change);
    return { record, isCancelled: isChanged };
  }

  /**
   * Waits until a task is finished.
   * @throws {ProtocolError} as `get`, also if the task expires meanwhile; 429 if too many callers wait; the reason of the signal
   */
  async finished(taskId: string, principal: string | undefined, signal?: AbortSignal): Promise<TaskRecord> {
    this.#requireOpen();
    signal?.throwIfAborted();
    const before = await this.get(taskId, principal);
    if (isTerminal(before)) return before;
    const waiter = this.#waiters.add(taskId, principal);
    const onAbort = () => waiter.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    try {
      this.#watchDeadline(before);
      // The signal may have aborted, or the task ended, since the task was read.
      signal?.throwIfAborted();
      const now = await this.get(taskId, principal);
      return isTerminal(now) ? now : await waiter.record;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      waiter.leave();
      this.#forgetDeadline(taskId);
    }
  }

  /** The tasks of a principal, in the order of their creation. @throws {ProtocolError} -32602 for a cursor that is not valid. */
  list(principal: string | undefined, cursor?: string): Promise<TaskPage> {
    return this.#settings.store.list(principal, cursor, this.#settings.limits.pageSize);
  }

  /** Calls the listener with each record that changed visibly, of all principals. Returns a function that stops it. */
  watch(listener: (record: TaskRecord) => unknown): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Runs the work of a stored task to its end, and never rejects. Called by workers of a `TaskRunner` that is a queue. Waits for
   * the end of a task that this engine runs already. Does nothing for a task that is finished or gone, or that another worker runs. A
   * task whose worker has ended runs again if it may, and fails otherwise. Resolves when the signal of the work aborts. Aborting
   * `signal` ends the run, and gives the task to other workers. If the store is not available, the task stays as it is.
   */
  async run(taskId: string, workOf: WorkOf, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    let released: Promise<void> | undefined;
    const onAbort = () => {
      const run = this.#runs.get(taskId);
      if (run)
        released = withTimeout(this.#release(run, givenBack()), this.#settings.limits.closeGraceMs, () => undefined);
    };
    signal?.addEventListener("abort", onAbort);
    try {
      await this.#runOrJoin(taskId, (run, record) => this.#runQueued(run, record, workOf));
      await released;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Takes up the tasks that processes have left unfinished. Those that may run again do, with their answers and results of
   * `once`; all others fail. A runner that recovers tasks is told of them again. Call it before the engine serves callers, and
   * again to take up the tasks of processes that have ended since, and those that a store that was not available has held back.
   */
  async recover(
    rerun: WorkOf,
    abandoned: AsyncIterable<TaskRecord> = this.#settings.store.abandoned(),
  ): Promise<TaskRecovery> {
    this.#requireOpen();
    const counts = { rerun: 0, failed: 0 };
    for await (const record of this.#abandoned.with(abandoned)) {
      const { taskId } = record;
      if (this.#starting.has(taskId) || this.#runs.has(taskId)) continue;
      if (this.#settings.runner.recovers && !record.hasOwnRunner) {
        // Its process may have ended before the queue had the job. Most often the queue has it, so a failure ends no task.
        const queued = (async () => this.#settings.runner.start(taskId, () => this.run(taskId, rerun)))();
        queued.catch((error) => this.#onError(failure(`Task ${taskId} could not be queued again`, error)));
        continue;
      }
      const taken = await this.#abandoned.takeUp(record, rerun);
      if (taken === undefined) continue;
      if (taken.work) this.#start(taken.record, taken.work);
      else await this.#finish(unleased(taskId), { status: "failed", error: RESTARTED });
      counts[taken.work ? "rerun" : "failed"] += 1;
    }
    return counts;
  }

  /**
   * Aborts all work and ends all waits. Tasks stay unfinished in the store, so that `recover` of a later engine takes them up.
   * Resolves once changes that are under way and running effects of `once` are stored, or after `closeGraceMs`. The store stays
   * open.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    this.#stopWatching();
    this.#deadlines.clear();
    this.#waiters.rejectAll(closed());
    const released = [...this.#runs.values()].map((run) => this.#release(run, closed()));
    const settled = Promise.all(released).then(() => this.#changes.settled());
    await withTimeout(settled, this.#settings.limits.closeGraceMs, () => undefined);
  }

  /** Hands a stored task to its runner, which may begin it later. */
  #start({ taskId, takenUp = 0 }: TaskRecord, work: TaskWork, runner: TaskRunner = this.#settings.runner): void {
    const begin: BeginRun = (run, record) => this.#inSlot(run, record, () => this.#work(run, record, async () => work));
    const started = (async () => runner.start(taskId, () => this.#runOrJoin(taskId, begin, takenUp)))();
    started.catch((error: unknown) => this.#fail(unleased(taskId), COULD_NOT_START, error));
  }

  /**
   * Runs an unfinished task, or waits for its run in progress. `takenUp` is the number of this process among those that have taken the
   * task up. It is undefined for a job of a queue, which leases decide, and which the queue delivers again after a failure.
   */
  async #runOrJoin(taskId: string, begin: BeginRun, takenUp?: number): Promise<void> {
    if (this.#isClosed) return;
    const end = this.#ends.get(taskId) ?? this.#run(taskId, begin, takenUp).finally(() => this.#ends.delete(taskId));
    this.#ends.set(taskId, end);
    await end;
  }

  async #run(taskId: string, begin: BeginRun, takenUp: number | undefined): Promise<void> {
    const run = new RunningTask(taskId, takenUp, this.#changes, this.#leases, this.#settings.limits, this.#onError);
    const isJob = takenUp === undefined;
    const read = () => this.#settings.store.get(taskId);
    // Before the task is read, so that no change of it is missed.
    this.#runs.set(taskId, run);
    try {
      const record = await (isJob ? read() : whenAvailable(read, run.signal));
      if (record !== undefined && !isTerminal(record) && !run.isEnded && run.owns(record)) await begin(run, record);
    } catch (error) {
      if (isJob && isTemporary(error)) this.#onError(failure(`Task ${taskId} could not be started yet`, error));
      else if (!run.isEnded) await this.#fail(run, COULD_NOT_START, error);
    } finally {
      this.#endRun(run);
    }
  }

  /** Runs a task as a worker of a queue. Resolves when the run aborts, even if its work ignores the signal. */
  async #runQueued(run: RunningTask, record: TaskRecord, workOf: WorkOf): Promise<void> {
    const { limits, now } = this.#settings;
    if (isLeased(record, limits.leaseMs, now())) return;
    const aborted = new Promise<void>((resolve) => {
      run.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    // The lease is taken with the slot: a task that waits for a slot is free for other workers.
    const working = this.#inSlot(run, record, () => this.#runLeased(run, workOf));
    working.catch((error: unknown) => {
      // After an abort `Promise.race` has resolved, so nobody gets this error.
      if (run.signal.aborted) this.#onError(failure(`The lease of task ${run.taskId} could not be taken`, error));
    });
    await Promise.race([working, aborted]);
  }

  async #runLeased(run: RunningTask, workOf: WorkOf): Promise<void> {
    const record = await this.#leases.begin(run).catch(async (error: unknown) => {
      // The engine was closed meanwhile, or the store is not available: another delivery follows.
      if (run.signal.aborted || isTemporary(error)) throw error;
      await this.#fail(run, LEASE_NOT_TAKEN, error);
      return undefined;
    });
    if (record === undefined) return;
    const refusal = rerunRefusal(record, this.#settings.limits.maxCrashes);
    if (refusal !== undefined) {
      this.#endRun(run);
      await this.#finish(run, { status: "failed", error: refusal });
      return;
    }
    const stop = this.#leases.keep(run);
    await this.#work(run, record, () => workOfStored(this.#settings.store, record, workOf, run.signal)).finally(stop);
  }

  /** Waits for a slot. A slot is in use until the work has settled, even if its task is over before. */
  async #inSlot(run: RunningTask, record: TaskRecord, begin: () => Promise<void>): Promise<void> {
    const { taskId, principal } = record;
    this.#watchDeadline(record);
    run.signal.addEventListener("abort", () => this.#slots.cancel(taskId, principal), { once: true });
    if (!(await this.#slots.take(taskId, principal))) return;
    try {
      if (!run.isEnded) await begin();
    } finally {
      this.#slots.release(principal);
    }
  }

  /** Calls the work, and stores its outcome. */
  async #work(run: RunningTask, record: TaskRecord, workOf: () => Promise<TaskWork | undefined>): Promise<void> {
    run.resume(record);
    if (run.isEnded) return;
    const work = await workOf();
    if (run.isEnded) return;
    const outcome = await this.#outcome(run, record, work);
    // Nothing that arrives after the task was cancelled, expired or left to another process counts.
    if (run.isEnded) return;
    this.#endRun(run);
    await this.#finish(run, outcome);
  }

  async #outcome(run: RunningTask, { method }: TaskRecord, work: TaskWork | undefined): Promise<TaskOutcome> {
    if (work === undefined) return { status: "failed", error: UNKNOWN_WORK };
    run.hasBegun = true;
    try {
      const result: unknown = await work(run);
      if (!isJsonObject(result)) throw new SdkError("invalid-result", `${method}: expected an object as the result`);
      return { status: "completed", result };
    } catch (thrown) {
      const { wire, report } = mapError(thrown, method);
      if (report !== undefined && !run.isEnded) this.#onError(report);
      return { status: "failed", error: wire };
    }
  }

  /** Stores an outcome, or fails the task if the outcome cannot be stored. */
  async #finish(owner: TaskOwner, outcome: TaskOutcome): Promise<void> {
    try {
      await this.#storeOutcome(owner, outcome);
    } catch (error) {
      const isTooLarge = error instanceof SdkError && error.code === "too-large";
      await this.#fail(owner, isTooLarge ? RESULT_TOO_LARGE : NOT_STORED, error);
    }
  }

  /** Fails a task whose work did not start or whose outcome could not be stored. */
  async #fail(owner: TaskOwner, error: WireError, cause: unknown): Promise<void> {
    const { taskId } = owner;
    this.#onError(failure(`Task ${taskId} failed: ${error.message}`, cause));
    try {
      await this.#storeOutcome(owner, { status: "failed", error });
    } catch (again) {
      this.#onError(failure(`Task ${taskId} could not be finished and stays as it is until it expires`, again));
      this.#waiters.reject(taskId, new ProtocolError(error.code, error.message));
    }
  }

  /** Ends the task, unless another worker runs it by now. */
  async #storeOutcome(owner: TaskOwner, outcome: TaskOutcome): Promise<void> {
    const end = (record: TaskRecord, now: number) => (owner.owns(record) ? finished(record, outcome, now) : undefined);
    await this.#changes.persist(owner.taskId, end, this.#closing.signal);
  }

  async #changeOwned(
    taskId: string,
    principal: string | undefined,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<ChangedTask> {
    if (!mayBeTaskId(taskId)) throw taskNotFound();
    const changed = await this.#changes.apply(taskId, (record, now) => change(owned(record, principal), now));
    if (changed === undefined) throw taskNotFound();
    return changed;
  }

  /** Takes note of a record that was stored, by this process or another one. */
  #onStored(record: TaskRecord): void {
    const run = this.#runs.get(record.taskId);
    if (isTerminal(record)) {
      // A run whose own work settled is not in the table any more.
      if (run) this.#abort(run, cancelled(record));
      this.#waiters.resolve(record);
    } else if (run && !run.owns(record)) this.#abort(run, leaseLost(record.taskId));
    else run?.see(record);
    if (record.visibleVersion !== record.version) return;
    for (const listener of this.#listeners) {
      runGuarded(
        () => listener(record),
        (cause) => this.#onError(failure("A listener for tasks failed", cause)),
      );
    }
  }

  #expire(taskId: string): void {
    const run = this.#runs.get(taskId);
    if (run) this.#abort(run, expired());
    this.#waiters.reject(taskId, taskNotFound());
    this.#settings.store.delete(taskId).catch(this.#onError);
  }

  /** Ends a run at once. Resolves once its running effects and the end of its lease are stored. */
  async #release(run: RunningTask, reason: Error): Promise<void> {
    this.#abort(run, reason);
    await run.effectsSettled();
    await this.#leases.release(run);
  }

  #abort(run: RunningTask, reason: Error): void {
    run.abort(reason);
    this.#endRun(run);
  }

  #endRun(run: RunningTask): void {
    if (!run.isEnded) run.end();
    if (this.#runs.get(run.taskId) === run) this.#runs.delete(run.taskId);
    this.#forgetDeadline(run.taskId);
  }

  #watchDeadline(record: TaskRecord): void {
    if (!this.#isClosed && !this.#deadlines.has(record.taskId)) this.#deadlines.add(record.taskId, expiresAt(record));
  }

  #forgetDeadline(taskId: string): void {
    if (!this.#runs.has(taskId) && !this.#waiters.has(taskId)) this.#deadlines.remove(taskId);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closed();
  }
}

type BeginRun = (run: RunningTask, record: TaskRecord) => Promise<void>;

/** The record, if it belongs to the principal. @throws {ProtocolError} -32602 as if it did not exist otherwise. */
function owned(record: TaskRecord | undefined, principal: string | undefined): TaskRecord {
  if (record === undefined || record.principal !== principal) throw taskNotFound();
  return record;
}
