/** The options of a `TaskEngine`: where tasks are kept and run, and their limits. */
import { checkLimit, checkWholeNumber } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import type { TaskStore } from "./task-store.js";
import { IN_PROCESS, type TaskRunner } from "./task-work.js";

/** The store, the runner and the limits of a `TaskEngine`. */
export interface TaskEngineOptions {
  /** Keeps the tasks. @defaultValue an InMemoryTaskStore */
  readonly store?: TaskStore | undefined;
  /** Decides where the work runs. @defaultValue in this process, at once */
  readonly runner?: TaskRunner | undefined;
  /** Milliseconds that a task is kept if its caller asks for nothing else. @defaultValue 3_600_000 */
  readonly defaultTtlMs?: number | undefined;
  /** Milliseconds that a task is kept at most. `Infinity` allows tasks that are kept forever. @defaultValue 86_400_000 */
  readonly maxTtlMs?: number | undefined;
  /** Milliseconds that callers should wait between two polls. @defaultValue 1_000 */
  readonly pollIntervalMs?: number | undefined;
  /** Milliseconds between two writes of a status message of one task. @defaultValue 250 */
  readonly statusIntervalMs?: number | undefined;
  /** Bytes of one task: params, context, answers, results of `once` and the result. @defaultValue 4_194_304 */
  readonly maxTaskBytes?: number | undefined;
  /**
   * Milliseconds without a sign of life after which a worker of a queue counts as ended, so that another one may run its task. All
   * workers need the same value, and clocks that agree to a fraction of it.
   * @defaultValue 30_000
   */
  readonly leaseMs?: number | undefined;
  /** Runs of one task whose worker may crash. The task fails with the next one, even if it may run again. @defaultValue 3 */
  readonly maxCrashes?: number | undefined;
  /** Tasks whose work runs at the same time, those that wait for answers included. The others wait for their turn. @defaultValue 1_024 */
  readonly maxRunning?: number | undefined;
  /** Tasks of one principal whose work runs at the same time. @defaultValue 128 */
  readonly maxRunningPerPrincipal?: number | undefined;
  /** Open questions of one task. @defaultValue 64 */
  readonly maxInputRequests?: number | undefined;
  /** Characters of a key of `ask` or `once`. @defaultValue 256 */
  readonly maxKeyCharacters?: number | undefined;
  /** Callers that wait for the end of a task. @defaultValue 16_384 */
  readonly maxWaiters?: number | undefined;
  /** Callers of one principal that wait for the end of a task. @defaultValue 1_024 */
  readonly maxWaitersPerPrincipal?: number | undefined;
  /** Tasks per page of a list. @defaultValue 100 */
  readonly pageSize?: number | undefined;
  /** Milliseconds that `close` waits for changes that are being stored and for running effects of `once`. @defaultValue 1_000 */
  readonly closeGraceMs?: number | undefined;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
  /** Called with every error that no caller receives, such as the exception of a task's work. @defaultValue none */
  readonly onError?: ((error: Error) => unknown) | undefined;
}

export const TASK_ENGINE_OPTIONS: OptionTable<TaskEngineOptions> = {
  store: true,
  runner: true,
  defaultTtlMs: true,
  maxTtlMs: true,
  pollIntervalMs: true,
  statusIntervalMs: true,
  maxTaskBytes: true,
  leaseMs: true,
  maxCrashes: true,
  maxRunning: true,
  maxRunningPerPrincipal: true,
  maxInputRequests: true,
  maxKeyCharacters: true,
  maxWaiters: true,
  maxWaitersPerPrincipal: true,
  pageSize: true,
  closeGraceMs: true,
  now: "function",
  onError: "function",
};

const DEFAULT_LIMITS = {
  defaultTtlMs: 3_600_000,
  maxTtlMs: 86_400_000,
  pollIntervalMs: 1_000,
  statusIntervalMs: 250,
  maxTaskBytes: 4_194_304,
  leaseMs: 30_000,
  maxCrashes: 3,
  maxRunning: 1_024,
  maxRunningPerPrincipal: 128,
  maxInputRequests: 64,
  maxKeyCharacters: 256,
  maxWaiters: 16_384,
  maxWaitersPerPrincipal: 1_024,
  pageSize: 100,
  closeGraceMs: 1_000,
};

/** Limits that go over the wire, into timers or into slices. */
const WHOLE_NUMBERS = ["pollIntervalMs", "statusIntervalMs", "leaseMs", "pageSize"] as const;

export interface TaskEngineSettings {
  readonly store: TaskStore;
  readonly runner: TaskRunner;
  readonly limits: Readonly<typeof DEFAULT_LIMITS>;
  readonly now: () => number;
}

/** @throws {SdkError} `invalid-argument` for an unknown option, for a limit that is no number from 1, or no whole number where it must be one. */
export function taskEngineSettings(options: TaskEngineOptions): TaskEngineSettings {
  checkOptions("TaskEngine", options, TASK_ENGINE_OPTIONS);
  const { now = Date.now, store = new InMemoryTaskStore({ now }), runner = IN_PROCESS } = options;
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]) {
    const value = options[name] ?? DEFAULT_LIMITS[name];
    checkLimit(name, value);
    limits[name] = value;
  }
  for (const name of WHOLE_NUMBERS) checkWholeNumber(name, limits[name], 1);
  return { store, runner, limits, now };
}
