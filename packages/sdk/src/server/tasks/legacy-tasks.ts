/**
 * Tasks of 2025-11-25: the answer to a call with the param `task`, and `tasks/get`, `tasks/result`, `tasks/list` and
 * `tasks/cancel`. An open `tasks/result` carries the questions of its task to the client. Questions wait in the store until then.
 */
import { methodNotFound, ProtocolError } from "../../errors/protocol-error.js";
import type { ServerCapabilities } from "../../protocol/capabilities.js";
import { DeadlineQueue } from "../../runtime/deadline-queue.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import {
  legacyCancellation,
  legacyOutcome,
  legacyTask,
  listedTask,
  relatedTask,
  requestedTtl,
} from "../../tasks/legacy-task-messages.js";
import type { TaskEngine } from "../../tasks/task-engine.js";
import { expiresAt, inputRequestsOf, isTerminal, type TaskRecord } from "../../tasks/task-record.js";
import { holdsScopes } from "../../transport/caller.js";
import type { ServerContext } from "../server-context.js";
import type { ConnectionState } from "../server-request.js";
import type { TaskToolCall } from "./server-tasks.js";
import { refusedAnswer } from "./task-handler-run.js";

/** The part of a server's tasks that this module needs. */
export interface TaskStarter {
  readonly engine: TaskEngine;
  usable(taskId: unknown, context: ServerContext): Promise<TaskRecord>;
  create(call: TaskToolCall, ttlMs?: number): Promise<TaskRecord>;
}

/** An open `tasks/result`. */
interface ResultRequest {
  readonly context: ServerContext;
  /** The questions that this request has sent, by key. Aborting one cancels it at the client. */
  readonly sent: Map<string, AbortController>;
}

export class LegacyTasks {
  readonly #tasks: TaskStarter;
  /** The open `tasks/result` requests, by task. */
  readonly #waiting = new Map<string, Set<ResultRequest>>();
  /** The connections that created unfinished tasks, by task. */
  readonly #creators = new Map<string, ConnectionState>();
  readonly #deadlines: DeadlineQueue<string>;

  constructor(tasks: TaskStarter, now: () => number) {
    this.#tasks = tasks;
    this.#deadlines = new DeadlineQueue(now, (taskId) => void this.#creators.delete(taskId));
  }

  /** Starts a call as a task, and answers it with the task. */
  async start(call: TaskToolCall): Promise<JsonObject> {
    const record = await this.#tasks.create(call, requestedTtl(call.params));
    const { connection } = call.context.routed;
    if (connection.restrictions.noChanges !== true) await this.#notifyOf(record, connection);
    return { task: legacyTask(record) };
  }

  async get(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    return legacyTask(await this.#tasks.usable(params.taskId, context));
  }

  /** Asks the client the questions of the task, and answers with its result once it is finished. */
  async result(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const { engine } = this.#tasks;
    // Only a caller that may use the task is asked its questions.
    const { taskId, principal } = await this.#tasks.usable(params.taskId, context);
    const request: ResultRequest = { context, sent: new Map() };
    const requests = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, requests.add(request));
    try {
      // A question that was stored before the request began to wait is in this record; `changed` gets later ones.
      this.#ask(await engine.get(taskId, principal), request, requests);
      return legacyOutcome(await engine.finished(taskId, principal, context.signal));
    } finally {
      requests.delete(request);
      if (requests.size === 0) this.#waiting.delete(taskId);
      else if (context.signal.aborted && request.sent.size > 0) {
        this.#askAgain(taskId, principal, requests).catch(() => undefined);
      }
    }
  }

  async list(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    if (!mayList(context)) throw methodNotFound("tasks/list");
    const cursor = typeof params.cursor === "string" ? params.cursor : undefined;
    const { tasks, nextCursor } = await this.#tasks.engine.list(context.caller?.principal, cursor);
    const usable = tasks.filter(({ scopes = [] }) => holdsScopes(context.caller, scopes));
    return { tasks: usable.map(listedTask), ...(nextCursor !== undefined && { nextCursor }) };
  }

  async cancel(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const { taskId, principal } = await this.#tasks.usable(params.taskId, context);
    return legacyCancellation(await this.#tasks.engine.cancel(taskId, principal));
  }

  /** Called after each visible change of a task. */
  changed(record: TaskRecord): void {
    const { taskId } = record;
    const requests = this.#waiting.get(taskId) ?? new Set();
    for (const { sent } of requests) cancelWithdrawn(sent, record);
    const [first] = requests;
    if (first) this.#ask(record, first, requests);
    const connection = this.#creators.get(taskId);
    // A rejection means that the connection has closed. The client can still poll.
    connection?.notify("notifications/tasks/status", legacyTask(record)).catch(() => undefined);
    if (isTerminal(record)) this.#forget(taskId);
  }

  /** Notifies a connection of changes of a task, unless the task has ended since it was created. */
  async #notifyOf(created: TaskRecord, connection: ConnectionState): Promise<void> {
    const { taskId, principal } = created;
    this.#creators.set(taskId, connection);
    this.#deadlines.add(taskId, expiresAt(created));
    const record = await this.#tasks.engine.get(taskId, principal).catch(() => undefined);
    if (record === undefined || isTerminal(record)) this.#forget(taskId);
  }

  #forget(taskId: string): void {
    this.#creators.delete(taskId);
    this.#deadlines.remove(taskId);
  }

  /** Sends the open questions that no open request has sent. */
  #ask(record: TaskRecord, request: ResultRequest, requests: ReadonlySet<ResultRequest>): void {
    const sent = new Set([...requests].flatMap((other) => [...other.sent.keys()]));
    for (const [key, question] of Object.entries(inputRequestsOf(record))) {
      if (sent.has(key)) continue;
      const cancelled = new AbortController();
      request.sent.set(key, cancelled);
      void this.#askClient(record, key, question, request.context, cancelled.signal);
    }
  }

  /** Sends the questions of a cancelled request by another one that is open. Rejects if the task is gone or cannot be read. */
  async #askAgain(taskId: string, principal: string | undefined, requests: ReadonlySet<ResultRequest>): Promise<void> {
    const record = await this.#tasks.engine.get(taskId, principal);
    const [first] = requests;
    if (first) this.#ask(record, first, requests);
  }

  /** Stores the answer of the client. Without one, the next `tasks/result` asks again. */
  async #askClient(
    { taskId, principal }: TaskRecord,
    key: string,
    { method, params }: JsonObject,
    context: ServerContext,
    signal: AbortSignal,
  ): Promise<void> {
    const own = isJsonObject(params) ? params : {};
    const _meta = { ...(isJsonObject(own._meta) && own._meta), ...relatedTask(taskId) };
    // The end of the task or of the open `tasks/result` ends the question.
    const options = { timeoutMs: Number.POSITIVE_INFINITY, signal };
    try {
      const answer = await context.request(String(method), { ...own, _meta }, options).catch((error: unknown) => {
        if (error instanceof ProtocolError) return refusedAnswer(error);
        throw error;
      });
      await this.#tasks.engine.update(taskId, principal, { [key]: answer });
    } catch {
      // The question was withdrawn, the request was cancelled or lost its connection, or the task is over.
    }
  }
}

/** Cancels the questions that their handler does not wait for any more. It may ask them again. */
function cancelWithdrawn(sent: Map<string, AbortController>, { questions }: TaskRecord): void {
  for (const [key, cancelled] of sent) {
    if (!questions[key]?.isWithdrawn) continue;
    sent.delete(key);
    cancelled.abort();
  }
}

/** Whether a caller may list tasks. Callers over a network that cannot be told apart would see each other's. */
function mayList({ caller }: Pick<ServerContext, "caller">): boolean {
  return caller?.principal !== undefined || (caller?.headers ?? caller?.address) === undefined;
}

/** The capabilities of a server with tasks. In 2025-11-25 they name the requests that may become tasks. */
export function withTasks(capabilities: ServerCapabilities, context: ServerContext): ServerCapabilities {
  if (capabilities.tasks === undefined) return capabilities;
  const { list, ...tasks } = capabilities.tasks;
  const listed = mayList(context) ? { list } : {};
  return { ...capabilities, tasks: { ...listed, ...tasks, requests: { tools: { call: {} } } } };
}
