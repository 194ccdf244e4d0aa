/**
 * The record of a task and its legal changes. A record is plain JSON and never changes: each function returns the next record,
 * or undefined if there is nothing to change. A finished task never changes again. Storing records is the job of a `TaskStore`.
 */
import type { WireError } from "../errors/error-mapping.js";
import { SdkError } from "../errors/sdk-error.js";
import type { TaskStatus } from "../protocol/tasks.js";
import { canonicalJson } from "../runtime/canonical-json.js";
import { toHex } from "../runtime/hexadecimal.js";
import type { JsonObject } from "../runtime/json.js";
import { jsonBytes } from "../runtime/json-size.js";

/** One question of a task to its caller. Its key never stands for another request. */
export interface TaskQuestion {
  readonly request: JsonObject;
  /** The raw answer; absent while the question waits for one. */
  readonly response?: JsonObject;
  /** Whether the work stopped waiting for the answer. */
  readonly isWithdrawn?: boolean;
}

/** The right of one worker of a queue to run a task. A later run has a higher number. */
export interface TaskLease {
  /** Counts the runs, from 1. */
  readonly number: number;
  /** Milliseconds since 1970. No other worker begins a run before. */
  readonly until: number;
  /** Whether the work of an earlier run may have begun. */
  readonly isRerun: boolean;
  /** Whether the worker gave the lease back before the work began. */
  readonly isUnused?: true;
  /** Whether the worker gave the lease back after the work began. */
  readonly isReleased?: true;
  /** Runs whose worker ended without giving the lease back. Absent for none. */
  readonly crashes?: number;
}

/** The call of a task, for its runs. Stored apart from the record, and dropped once the task is finished. */
export interface TaskInput {
  readonly params: JsonObject;
  /** Input of a run besides the params, such as the revision of the caller. */
  readonly context?: JsonObject | undefined;
}

/** The state of a task: everything that is stored of it besides its input. */
export interface TaskRecord {
  readonly taskId: string;
  /** The owner. A task does not exist for other principals. Absent for tasks of unauthenticated callers. */
  readonly principal?: string | undefined;
  /** The method of the request that became a task. */
  readonly method: string;
  /** Bytes of the input in memory. 0 once the task is finished. */
  readonly inputBytes: number;
  /** The scopes that the call needed. A caller needs them to use the task. Absent for none. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether the work may run again after the process that ran it has ended. */
  readonly mayRerun: boolean;
  /** Whether `create` was given a runner for this task. The runner of the engine then does not recover the task. */
  readonly hasOwnRunner?: boolean;
  /** The last run by a worker of a queue. Absent for work that its creator runs. */
  readonly run?: TaskLease;
  /** Counts the processes that have taken the work up after another one had ended. Absent for none. */
  readonly takenUp?: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. Never goes back. */
  readonly lastUpdatedAt: number;
  /** Milliseconds that the task is kept from its creation; null for no limit. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** The questions of an unfinished task, by key. */
  readonly questions: { readonly [key: string]: TaskQuestion };
  /** The results of `once` of an unfinished task, by key. */
  readonly once: { readonly [key: string]: { readonly value?: unknown } };
  /** The result of a completed task. */
  readonly result?: JsonObject;
  /** The error of a failed task. */
  readonly error?: WireError;
  /** Counts the changes, from 1. */
  readonly version: number;
  /** The version of the last change that a caller can see. Results of `once` are not visible. */
  readonly visibleVersion: number;
}

/** The members of a task that a list shows. */
export interface TaskSummary
  extends Pick<
    TaskRecord,
    "taskId" | "status" | "statusMessage" | "createdAt" | "lastUpdatedAt" | "ttlMs" | "pollIntervalMs" | "scopes"
  > {
  /** Whether the result is that of a failed tool. In 2025-11-25 such a task has failed. */
  readonly isError: boolean;
}

/** The members that a new task starts with. */
export type NewTask = Pick<
  TaskRecord,
  | "principal"
  | "method"
  | "inputBytes"
  | "scopes"
  | "mayRerun"
  | "hasOwnRunner"
  | "ttlMs"
  | "pollIntervalMs"
  | "createdAt"
>;

/** Questions of one task, answered ones included. Each change of a task reads and writes all of them. */
export const MAX_QUESTIONS = 1_024;

const ID_BYTES = 20;
const MAX_STATUS_MESSAGE = 1_024;

/** A lease that ends later than this many times its length was stored before the clock was set back. */
const MAX_LEASES_AHEAD = 2;

export function createTaskRecord(given: NewTask): TaskRecord {
  const { createdAt, principal, scopes = [] } = given;
  return {
    taskId: createTaskId(),
    ...(principal !== undefined && { principal }),
    method: given.method,
    inputBytes: given.inputBytes,
    ...(scopes.length > 0 && { scopes }),
    mayRerun: given.mayRerun,
    ...(given.hasOwnRunner && { hasOwnRunner: true }),
    status: "working",
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: given.ttlMs,
    pollIntervalMs: given.pollIntervalMs,
    questions: {},
    once: {},
    version: 1,
    visibleVersion: 1,
  };
}

/** The summary of a stored task, for the `list` of a `TaskStore`. */
export function taskSummary(record: TaskRecord): TaskSummary {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, scopes, result } = record;
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
    ...(scopes !== undefined && { scopes }),
    isError: result?.isError === true,
  };
}

/** A task takes at least this much, so that a task which has no room for its result has room for its failure. */
const MIN_BYTES = 4_096;

/** The bytes of a task that count for the limits of a `TaskStore`: those of its record and its input as parsed JSON. */
export function taskBytes(record: TaskRecord): number {
  return Math.max(MIN_BYTES, jsonBytes(record) + record.inputBytes);
}

/** 160 random bits as hexadecimal digits. */
function createTaskId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

/** Whether a value has the form of a task id. The store is not asked for any other value. */
export function mayBeTaskId(value: unknown): value is string {
  return typeof value === "string" && value.length === 2 * ID_BYTES && /^[0-9a-f]+$/.test(value);
}

/** Whether a task is over: completed, failed or cancelled. */
export function isTerminal({ status }: Pick<TaskRecord, "status">): boolean {
  return status !== "working" && status !== "input_required";
}

/** The time at which a task expires, in milliseconds since 1970. `Infinity` for one that never does. */
export function expiresAt({ createdAt, ttlMs }: Pick<TaskRecord, "createdAt" | "ttlMs">): number {
  return ttlMs === null ? Number.POSITIVE_INFINITY : createdAt + ttlMs;
}

/** The requests that wait for an answer of the caller, by key. */
export function inputRequestsOf({ questions }: Pick<TaskRecord, "questions">): { [key: string]: JsonObject } {
  const open = Object.entries(questions).filter(([, question]) => isOpen(question));
  return Object.fromEntries(open.map(([key, { request }]) => [key, request]));
}

/** Sets the message of an unfinished task. Keeps its first 1,024 characters. */
export function withStatusMessage(record: TaskRecord, message: string, now: number): TaskRecord | undefined {
  const statusMessage = message.slice(0, MAX_STATUS_MESSAGE);
  if (isTerminal(record) || record.statusMessage === statusMessage) return undefined;
  return visiblyChanged(record, { statusMessage }, now);
}

/**
 * Asks a question. Undefined if it waits for its answer or has one.
 * @throws {SdkError} `questions-changed` if the key stands for another request, `too-large` for too many questions
 */
export function withQuestion(
  record: TaskRecord,
  key: string,
  request: JsonObject,
  maxOpen: number,
  now: number,
): TaskRecord | undefined {
  if (isTerminal(record)) return undefined;
  const asked = questionOf(record, key);
  if (asked !== undefined && canonicalJson(asked.request) !== canonicalJson(request)) throw questionChanged(key);
  if (asked !== undefined && (isOpen(asked) || asked.response !== undefined)) return undefined;
  const questions = Object.values(record.questions);
  if (questions.filter(isOpen).length >= maxOpen) throw tooManyOpenQuestions(maxOpen);
  if (asked === undefined && questions.length >= MAX_QUESTIONS) throw tooManyQuestions();
  return withQuestions(record, { [key]: { request } }, now);
}

/** Withdraws a question that waits for its answer. */
export function withoutQuestion(record: TaskRecord, key: string, now: number): TaskRecord | undefined {
  const asked = questionOf(record, key);
  if (asked === undefined || !isOpen(asked)) return undefined;
  return withQuestions(record, { [key]: { ...asked, isWithdrawn: true } }, now);
}

/** Answers questions that have no answer. A withdrawn one keeps it for a work that asks again. Ignores unknown and answered keys. */
export function withResponses(
  record: TaskRecord,
  responses: { readonly [key: string]: JsonObject },
  now: number,
): TaskRecord | undefined {
  const answered = Object.entries(record.questions).flatMap(([key, question]) => {
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
    return response === undefined || question.response !== undefined ? [] : [[key, { ...question, response }] as const];
  });
  return answered.length === 0 ? undefined : withQuestions(record, Object.fromEntries(answered), now);
}

/** Remembers the result of `once`. The first result stays. */
export function withOnceResult(record: TaskRecord, key: string, value: unknown): TaskRecord | undefined {
  if (isTerminal(record) || Object.hasOwn(record.once, key)) return undefined;
  return { ...record, once: { ...record.once, [key]: { value } }, version: record.version + 1 };
}

/** The lease before the first run. */
const NO_RUN: TaskLease = { number: 0, until: 0, isRerun: false, isUnused: true };

/** Whether a worker of a queue holds the lease. The clock of that worker may be ahead by one lease. */
export function isLeased({ run }: Pick<TaskRecord, "run">, leaseMs: number, now: number): boolean {
  const leftMs = run === undefined ? 0 : run.until - now;
  return leftMs > 0 && leftMs <= MAX_LEASES_AHEAD * leaseMs;
}

/** Begins a run of a worker of a queue. Undefined while another run holds the lease. */
export function withRun(record: TaskRecord, leaseMs: number, now: number): TaskRecord | undefined {
  if (isTerminal(record) || isLeased(record, leaseMs, now)) return undefined;
  const { run = NO_RUN } = record;
  const isRerun = run.isRerun || run.isUnused !== true;
  const crashes = (run.crashes ?? 0) + (run.isUnused || run.isReleased ? 0 : 1);
  const next: TaskLease = { number: run.number + 1, until: now + leaseMs, isRerun, ...(crashes > 0 && { crashes }) };
  return { ...record, run: next, version: record.version + 1 };
}

/** Gives the lease of a run back. Undefined if another run has begun. */
export function withReleasedLease(
  record: TaskRecord,
  number: number,
  hasBegun: boolean,
  now: number,
): TaskRecord | undefined {
  const { run } = record;
  if (run?.number !== number) return undefined;
  const released: TaskLease = { ...run, until: now, ...(hasBegun ? { isReleased: true } : { isUnused: true }) };
  return { ...record, run: released, version: record.version + 1 };
}

/** Begins the work in another process. Runs of earlier processes change nothing from then on. */
export function withTakenUp(record: TaskRecord): TaskRecord | undefined {
  if (isTerminal(record)) return undefined;
  return { ...record, takenUp: (record.takenUp ?? 0) + 1, version: record.version + 1 };
}

/** Extends the lease of a run. Undefined if another run has begun. */
export function withLease(record: TaskRecord, number: number, leaseMs: number, now: number): TaskRecord | undefined {
  const { run } = record;
  if (run?.number !== number) return undefined;
  return { ...record, run: { ...run, until: now + leaseMs }, version: record.version + 1 };
}

/** How a task ends. */
export type TaskOutcome =
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly error: WireError }
  | { readonly status: "cancelled"; readonly statusMessage: string };

/** Ends an unfinished task, and drops the members that only its work needed. */
export function finished(record: TaskRecord, outcome: TaskOutcome, now: number): TaskRecord | undefined {
  if (isTerminal(record)) return undefined;
  const { statusMessage: _message, run: _run, takenUp: _takenUp, ...kept } = record;
  const ended = outcome.status === "failed" ? { ...outcome, ...messageOf(outcome.error) } : outcome;
  return visiblyChanged({ ...kept, ...ended }, { inputBytes: 0, questions: {}, once: {} }, now);
}

function messageOf({ message }: WireError): { readonly statusMessage: string } {
  return { statusMessage: message.slice(0, MAX_STATUS_MESSAGE) };
}

function withQuestions(record: TaskRecord, changed: TaskRecord["questions"], now: number): TaskRecord {
  const questions = { ...record.questions, ...changed };
  const status = Object.values(questions).some(isOpen) ? "input_required" : "working";
  return visiblyChanged(record, { questions, status }, now);
}

function visiblyChanged(record: TaskRecord, change: Partial<TaskRecord>, now: number): TaskRecord {
  const version = record.version + 1;
  const lastUpdatedAt = Math.max(record.lastUpdatedAt, now);
  return { ...record, ...change, lastUpdatedAt, version, visibleVersion: version };
}

function questionOf({ questions }: TaskRecord, key: string): TaskQuestion | undefined {
  return Object.hasOwn(questions, key) ? questions[key] : undefined;
}

function isOpen({ response, isWithdrawn }: TaskQuestion): boolean {
  return response === undefined && isWithdrawn !== true;
}

function questionChanged(key: string): SdkError {
  return new SdkError(
    "questions-changed",
    `The question "${key}" of this task was another request before; give each question of a task a key of its own`,
  );
}

function tooManyOpenQuestions(maxOpen: number): SdkError {
  return new SdkError(
    "too-large",
    `A task asks more than ${maxOpen} questions at once; raise maxInputRequests if that is right`,
  );
}

function tooManyQuestions(): SdkError {
  return new SdkError("too-large", `A task asks at most ${MAX_QUESTIONS} questions; end it, and start another one`);
}
