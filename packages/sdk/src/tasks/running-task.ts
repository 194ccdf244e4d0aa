/** One run of a task in this process: `TaskRun` for its work, and the methods by which the engine ends and updates it. */
import { SdkError } from "../errors/sdk-error.js";
import { OnceResults } from "../routing/once-results.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import { timerMs } from "../runtime/timers.js";
import type { ChangedTask, TaskChanges } from "./task-changes.js";
import {
  isTerminal,
  type TaskLease,
  type TaskRecord,
  withOnceResult,
  withoutQuestion,
  withQuestion,
  withStatusMessage,
} from "./task-record.js";
import type { TaskRun } from "./task-work.js";

export interface RunLimits {
  readonly maxInputRequests: number;
  readonly maxKeyCharacters: number;
  readonly statusIntervalMs: number;
  readonly leaseMs: number;
}

/** Confirms the leases of runs before their effects. */
export interface LeaseConfirmation {
  /** False if the task is over or another worker has begun it. */
  confirm(run: RunningTask, lease: TaskLease): Promise<boolean>;
}

/**
 * An answer of the store about who runs a task holds for this part of `aliveMs` of the store, or of the lease. Both are renewed three
 * times in that time, so another process takes the task up after two parts of three at the earliest.
 */
const ANSWER_LIFE = 1 / 6;

interface WaitingAsk {
  readonly key: string;
  resolve(answer: JsonObject): void;
  reject(reason: unknown): void;
}

export class RunningTask implements TaskRun {
  readonly taskId: string;
  /** The lease of a worker of a queue, as the store confirmed it last. Undefined for other work. */
  lease: TaskLease | undefined;
  /** Whether the work was called. */
  hasBegun = false;
  readonly #changes: TaskChanges;
  readonly #leases: LeaseConfirmation;
  readonly #limits: RunLimits;
  readonly #onError: ErrorCallback;
  readonly #controller = new AbortController();
  readonly #asks = new Set<WaitingAsk>();
  #once = new OnceResults();
  /** The questions of the newest record that this run has seen. */
  #seen: Pick<TaskRecord, "questions" | "version"> = { questions: {}, version: 0 };
  readonly #takenUp: number | undefined;
  #isEnded = false;
  /** The message of the next write. */
  #message: string | undefined;
  #statusTimer: ReturnType<typeof setTimeout> | undefined;

  /** `takenUp` is the number of its process among those that have taken the task up. Undefined if leases decide who runs the task. */
  constructor(
    taskId: string,
    takenUp: number | undefined,
    changes: TaskChanges,
    leases: LeaseConfirmation,
    limits: RunLimits,
    onError: ErrorCallback,
  ) {
    this.taskId = taskId;
    this.#takenUp = takenUp;
    this.#changes = changes;
    this.#leases = leases;
    this.#limits = limits;
    this.#onError = onError;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the run may change nothing any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether no other process has begun a run of the task since. */
  owns(record: TaskRecord): boolean {
    if (isTerminal(record)) return true;
    if (this.lease !== undefined) return record.run?.number === this.lease.number;
    return this.#takenUp === undefined || this.#takenUp === (record.takenUp ?? 0);
  }

  /** Takes over the results of earlier runs. */
  resume(record: TaskRecord): void {
    this.#once = new OnceResults(record.once);
  }

  /** Takes note of a stored record. Settles the questions that it answers. */
  see({ questions, version }: TaskRecord): void {
    if (version < this.#seen.version) return;
    this.#seen = { questions, version };
    for (const ask of this.#asks) this.#settle(ask);
  }

  /** Ends the run because its task is over or the engine closes. The work may go on, without effect. */
  abort(reason: Error): void {
    this.end(reason);
    this.#controller.abort(reason);
  }

  /** Ends the run because its work has settled. Questions that still wait reject. */
  end(reason?: Error): void {
    this.#isEnded = true;
    clearTimeout(this.#statusTimer);
    for (const ask of this.#asks) ask.reject(reason ?? runEnded(`the answer to "${ask.key}"`));
  }

  /** Resolves once the effects of `once` that are running have ended. Later ones are refused. */
  async effectsSettled(): Promise<void> {
    await this.#once.settled();
  }

  status(message: string): void {
    if (this.#isEnded) return;
    this.#message = message;
    if (this.#statusTimer === undefined) this.#writeStatus();
  }

  ask(
    key: string,
    request: JsonObject,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<JsonObject> {
    return markHandled(this.#ask(key, request, signal));
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    return markHandled(this.#runOnce(key, run));
  }

  async #ask(key: string, request: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    this.#requireRunning(`ask("${key}")`);
    this.#checkKey(key);
    signal?.throwIfAborted();
    const changed = await this.#apply((record, now) =>
      withQuestion(record, key, request, this.#limits.maxInputRequests, now),
    );
    this.#requireRunning(`ask("${key}")`);
    // The task expired, or another process ended it and this one has not heard of that yet.
    if (changed === undefined || isTerminal(changed.record)) throw runEnded(`ask("${key}")`);
    this.see(changed.record);
    return this.#answer(key, signal);
  }

  #answer(key: string, signal: AbortSignal | undefined): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        ask.reject(signal?.reason);
        this.#apply((record, now) => withoutQuestion(record, key, now)).catch(this.#onError);
      };
      const leave = () => {
        this.#asks.delete(ask);
        signal?.removeEventListener("abort", onAbort);
      };
      const ask: WaitingAsk = {
        key,
        resolve(answer) {
          leave();
          resolve(answer);
        },
        reject(reason) {
          leave();
          reject(reason);
        },
      };
      this.#asks.add(ask);
      signal?.addEventListener("abort", onAbort);
      if (signal?.aborted) onAbort();
      else this.#settle(ask);
    });
  }

  #settle(ask: WaitingAsk): void {
    const question = this.#seen.questions[ask.key];
    if (question?.response !== undefined) ask.resolve(question.response);
    else if (question?.isWithdrawn) ask.reject(withdrawn(ask.key));
  }

  async #runOnce<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    const call = `once("${key}")`;
    this.#requireRunning(call);
    this.#checkKey(key);
    return this.#once.run(key, async () => {
      // A process that was suspended may not have heard yet of the run of another one.
      const since = performance.now();
      let isHeld = await this.#isHeld();
      // It may have been suspended while the answer of the store came, which is out of date then.
      if (isHeld && performance.now() - since > this.#answerLifeMs) isHeld = await this.#isHeld();
      this.#requireRunning(call);
      if (!isHeld) throw runEnded(call);
      const value = await run();
      const stored = jsonCopy(value, call);
      // The result is stored even if the run has ended meanwhile: the next run must not repeat the effect.
      await this.#apply((record) => withOnceResult(record, key, stored));
      return value;
    });
  }

  get #answerLifeMs(): number {
    return (this.lease ? this.#limits.leaseMs : this.#changes.aliveMs) * ANSWER_LIFE;
  }

  async #isHeld(): Promise<boolean> {
    return this.lease ? this.#leases.confirm(this, this.lease) : this.#isStillOwn();
  }

  /** Whether the stored task is still that of this run. Waits for a store that is not available. */
  async #isStillOwn(): Promise<boolean> {
    const stored = await this.#changes.persist(this.taskId, () => undefined, this.signal);
    return stored !== undefined && !isTerminal(stored.record) && this.owns(stored.record);
  }

  /** Writes the latest message, and no other for `statusIntervalMs`. */
  #writeStatus(): void {
    const message = this.#message;
    this.#message = undefined;
    this.#statusTimer = undefined;
    if (message === undefined) return;
    this.#statusTimer = setTimeout(() => this.#writeStatus(), timerMs(this.#limits.statusIntervalMs));
    this.#statusTimer.unref?.();
    this.#apply((record, now) => withStatusMessage(record, String(message), now)).catch(this.#onError);
  }

  /** Changes the task, unless another worker runs it by now. */
  #apply(change: (record: TaskRecord, now: number) => TaskRecord | undefined): Promise<ChangedTask | undefined> {
    const own = (record: TaskRecord, now: number) => {
      if (!this.owns(record)) throw leaseLost(this.taskId);
      return change(record, now);
    };
    return this.#changes.persist(this.taskId, own, this.signal);
  }

  #requireRunning(call: string): void {
    this.signal.throwIfAborted();
    if (this.#isEnded) throw runEnded(call);
  }

  #checkKey(key: string): void {
    const max = this.#limits.maxKeyCharacters;
    if (typeof key === "string" && key.length >= 1 && key.length <= max) return;
    throw new SdkError("invalid-argument", `key: expected a text of 1 to ${max} characters`);
  }
}

/** The value as a store keeps it. @throws {SdkError} `invalid-argument` for a value that is no JSON. */
function jsonCopy(value: unknown, what: string): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new SdkError("invalid-argument", `${what}: the result must be JSON`, { cause });
  }
}

function runEnded(call: string): SdkError {
  return new SdkError("context-ended", `${call} came after the work of its task had ended`);
}

function withdrawn(key: string): SdkError {
  return new SdkError("request-aborted", `The question "${key}" was withdrawn`);
}

/** The reason that ends a run whose worker was suspended for longer than its lease. */
export function leaseLost(taskId: string): SdkError {
  return new SdkError(
    "request-aborted",
    `Another worker has begun the task ${taskId}; this run changes nothing any more`,
  );
}
