/**
 * The tasks of a server: starts calls of tools as tasks, runs their handlers, and answers the methods of the modern extension.
 * The engine in `tasks/` keeps and runs them. legacy-tasks.ts answers the methods of 2025-11-25.
 */
import type { Envelope } from "../../era/era-codec.js";
import { legacyServerCodec } from "../../era/legacy-codec.js";
import { modernServerCodec } from "../../era/modern-codec.js";
import { isDeliberate } from "../../errors/error-mapping.js";
import { checkTimer } from "../../errors/option-checks.js";
import { invalidParams, ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { ValidationResult } from "../../json-schema/index.js";
import type { ClientCapabilities, ServerCapabilities } from "../../protocol/capabilities.js";
import type { Implementation } from "../../protocol/implementation.js";
import { eraOf, type Revision } from "../../protocol/revisions.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { markHandled } from "../../runtime/maybe-promise.js";
import { taskIds } from "../../tasks/extension/task-ids.js";
import { type DetailedTask, detailedTask, taskState } from "../../tasks/extension/task-messages.js";
import { createdTask } from "../../tasks/extension/tasks-extension.js";
import { TaskEngine, type TaskRecovery } from "../../tasks/task-engine.js";
import type { TaskEngineOptions } from "../../tasks/task-engine-options.js";
import { isTerminal, type TaskInput, type TaskRecord } from "../../tasks/task-record.js";
import type { TaskRun, TaskRunner, TaskWork } from "../../tasks/task-work.js";
import type { AuthInfo } from "../../transport/auth-info.js";
import type { Caller } from "../../transport/caller.js";
import type { ChangeDelivery } from "../changes/change-delivery.js";
import { askExplicitly } from "../input/explicit-rounds.js";
import type { InputSettings } from "../input/modern-run.js";
import type { McpServer } from "../mcp-server.js";
import { outgoingComplaint } from "../outgoing-result.js";
import type { ServerDefinition } from "../server-connection.js";
import { ServerContext } from "../server-context.js";
import type { LifecycleHooks } from "../server-lifecycle.js";
import { type ConnectionState, ServerRequest } from "../server-request.js";
import type { RegisteredTool } from "../tool-definition.js";
import { toolFailure } from "../tool-error.js";
import { runTool } from "../tools.js";
import { becomesTask } from "./becomes-task.js";
import { DetachedConnection } from "./detached-connection.js";
import { LegacyTasks, withTasks } from "./legacy-tasks.js";
import { taskStoreMissing } from "./missing-tasks.js";
import { repeatRecovery } from "./repeat-recovery.js";
import { TaskHandlerRun } from "./task-handler-run.js";
import { type TaskCallSource, TaskInbound } from "./task-inbound.js";

/** Options of a server's tasks: where they are kept and run, and their limits. */
export interface ServerTaskOptions extends Omit<TaskEngineOptions, "onError" | "maxInputRequests"> {
  /**
   * Milliseconds between two searches for the tasks of ended processes, while the server runs. Only stores that several processes
   * share are searched.
   * @defaultValue 30_000
   */
  readonly recoverIntervalMs?: number | undefined;
}

/** A call of a tool that becomes a task. */
export interface TaskToolCall {
  readonly tool: RegisteredTool;
  readonly checked: ValidationResult;
  readonly params: JsonObject;
  readonly context: ServerContext;
}

/** A handler that runs inside a task, and the call that the task was. */
interface TaskHandler {
  readonly tool: RegisteredTool;
  readonly checked: ValidationResult;
  readonly source: TaskCallSource;
  readonly envelope: Envelope;
  readonly connection: ConnectionState;
  /** The run that began inside the call. Undefined for a handler that the task starts. */
  readonly begun?: { readonly context: ServerContext; readonly result: Promise<unknown> };
}

/** The part of a server that its tasks need. */
export interface TaskHost {
  readonly server: McpServer;
  readonly changes: Pick<ChangeDelivery, "deliver">;
  readonly input: Pick<InputSettings, "maxRequests">;
  readonly report: ErrorCallback;
  definition(): ServerDefinition;
  findTool(name: string): RegisteredTool | undefined;
}

/** The tasks of one server. `serveTasks` makes one. */
export class ServerTasks {
  /** @internal */
  readonly legacy: LegacyTasks;
  readonly #options: Omit<ServerTaskOptions, "recoverIntervalMs">;
  readonly #recoverIntervalMs: number;
  readonly #host: TaskHost;
  #engine: TaskEngine | undefined;
  #connection: ConnectionState | undefined;
  #stopRecovering: (() => void) | undefined;
  /** Reads for listen streams that are under way, by principal and task. */
  readonly #reads = new Map<string, Promise<TaskRecord | undefined>>();

  /** @throws {SdkError} `invalid-argument` for a limit that is no number from 1. @internal */
  constructor({ recoverIntervalMs = 30_000, ...options }: ServerTaskOptions, host: TaskHost) {
    checkTimer("recoverIntervalMs", recoverIntervalMs);
    this.#recoverIntervalMs = recoverIntervalMs;
    this.#options = options;
    this.#host = host;
    this.legacy = new LegacyTasks(this, options.now ?? Date.now);
    this.#engine = this.#createEngine();
  }

  /** The hooks of the server, with the start and the end of its tasks between them. */
  hooks({ onStart, onClose }: LifecycleHooks): LifecycleHooks {
    // Only a store of the author can hold tasks of an earlier process.
    const isKept = this.#options.store !== undefined;
    return {
      onStart: isKept ? () => this.#onStart(onStart) : onStart,
      onClose: () => this.#onClose(onClose),
    };
  }

  /** Takes up the tasks of an earlier process. */
  async #onStart(onStart: LifecycleHooks["onStart"]): Promise<void> {
    await onStart?.();
    await this.recover();
    const { store } = this.#options;
    if (!store?.abandonedByOthers) return;
    const recover = async () => this.#recover(store.abandonedByOthers?.());
    this.#stopRecovering = repeatRecovery(recover, this.#recoverIntervalMs, this.#host.report);
  }

  /** Aborts the work of all tasks. They stay in the store. */
  async #onClose(onClose: LifecycleHooks["onClose"]): Promise<void> {
    this.#stopRecovering?.();
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.close();
    await onClose?.();
  }

  /** Adds the requests that may become tasks to the capabilities. */
  declareIn(capabilities: ServerCapabilities, context: ServerContext): ServerCapabilities {
    return withTasks(capabilities, context);
  }

  /** Whether a call becomes a task. @throws {ProtocolError} for a call that its tool does not allow. */
  becomesTask(tool: RegisteredTool, params: JsonObject, context: ServerContext): boolean {
    return becomesTask(tool, params, context);
  }

  /** Starts a call as a task, and answers it with the task. */
  async start(call: TaskToolCall): Promise<JsonObject> {
    if (call.context.era === "legacy") return this.legacy.start(call);
    return call.tool.task?.starts === "later" ? this.#startLater(call) : createdResult(await this.create(call));
  }

  /** Starts a call as a task. Resolves once the task is stored. */
  create(call: TaskToolCall, ttlMs?: number): Promise<TaskRecord> {
    const { tool, checked, context } = call;
    const { envelope } = context.routed;
    const connection = envelope.era === "legacy" ? context.routed.connection : this.#detached;
    const handler = { tool, checked, source: sourceOf(call), envelope, connection };
    return this.engine.create(creationOf(call, ttlMs), (run) => this.#runHandler(run, handler));
  }

  /** Runs the handler inside the call. The call becomes a task when the handler calls `startTask`. */
  #startLater(call: TaskToolCall): Promise<JsonObject> {
    const { tool, checked } = call;
    const context = new ServerContext(call.context.routed);
    return new Promise((resolve, reject) => {
      let started: Promise<void> | undefined;
      context.beginTask = () => {
        // The handler may call `startTask` before `running` is set.
        started ??= markHandled(this.#continueAsTask(call, context, () => running, resolve));
        return started;
      };
      const running = (async () => runTool(tool, checked, context))();
      // The result of the handler, unless it has become a task.
      running.then((result) => resolve(result as JsonObject), reject);
    });
  }

  /** Creates the task of a call whose handler runs already, and answers the call with the task. */
  async #continueAsTask(
    call: TaskToolCall,
    context: ServerContext,
    running: () => Promise<unknown>,
    answer: (result: JsonObject) => void,
  ): Promise<void> {
    const { tool, checked } = call;
    const { envelope, run: roundOfCall } = call.context.routed;
    if (roundOfCall?.isSuspended) throw openQuestions();
    // The executor of a promise runs at once, and sets it.
    let settle!: (isBegun: boolean) => void;
    const isBegun = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const handler = { tool, checked, source: sourceOf(call), envelope, connection: this.#detached };
    const work: TaskWork = (run) => {
      settle(true);
      return this.#runHandler(run, { ...handler, begun: { context, result: running() } });
    };
    // The handler has begun here, so that no other process can go on with it. `startTask` must not wait forever for a task that ends
    // before its turn.
    const runner: TaskRunner = { start: (_taskId, run) => void run().then(() => settle(false)) };
    const record = await this.engine.create(creationOf(call), work, { runner });
    answer(createdResult(record));
    if (!(await isBegun)) throw endedBefore(record.taskId);
  }

  /** Runs a stored task that another process has created. See `McpServer.runTask`. */
  async run(taskId: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { store } = this.#options;
    if (!store) throw taskStoreMissing("runTask");
    await this.engine.run(taskId, (record, input) => this.#workOf(record, input), signal);
    const record = await store.get(taskId);
    return record === undefined || isTerminal(record);
  }

  /** Takes up the tasks of processes that have ended. See `McpServer.recoverTasks`. */
  recover(): Promise<TaskRecovery> {
    if (!this.#options.store) throw taskStoreMissing("recoverTasks");
    return this.#recover();
  }

  #recover(abandoned?: AsyncIterable<TaskRecord>): Promise<TaskRecovery> {
    return this.engine.recover((record, input) => this.#workOf(record, input), abandoned);
  }

  /** The work of a stored task; undefined if its tool does not exist any more. */
  #workOf({ principal }: TaskRecord, { params, context }: TaskInput): TaskWork | undefined {
    const tool = this.#host.findTool(String(params.name));
    if (!tool) return undefined;
    // `creationOf` has stored them.
    const { revision, caller: stored, clientInfo, clientCapabilities } = context as unknown as StoredContext;
    const caller: Caller | undefined = stored && { principal, auth: stored.auth && { ...stored.auth, claims: {} } };
    const envelope: Envelope = { revision, era: eraOf(revision), clientInfo, clientCapabilities };
    return async (run) => {
      const source: TaskCallSource = { id: run.taskId, params, caller, notify: undefined };
      const checked = await tool.input.validate(isJsonObject(params.arguments) ? params.arguments : {});
      return this.#runHandler(run, { tool, checked, source, envelope, connection: this.#detached });
    };
  }

  /** Runs a handler inside a task to its end. @throws {ProtocolError} for a failed task */
  async #runHandler(run: TaskRun, { tool, checked, begun, ...call }: TaskHandler): Promise<JsonObject> {
    const inbound = new TaskInbound(run, call.source);
    const handlerRun = new TaskHandlerRun(run);
    const request = new ServerRequest(inbound, call.envelope, call.connection);
    request.taskId = run.taskId;
    request.run = handlerRun;
    const context = begun?.context ?? new ServerContext(request);
    context.routed = request;
    const handler = (_params: JsonObject, own: ServerContext) => runTool(tool, checked, own);
    try {
      const first = begun ? begun.result : handler(inbound.params, context);
      const { maxRequests } = this.#host.input;
      return finishedResult(await askExplicitly(handler, maxRequests, inbound.params, context, handlerRun, first));
    } catch (thrown) {
      if (context.signal.aborted) throw thrown;
      if (isDeliberate(thrown)) throw withOwnCode(thrown, context);
      const failure = toolFailure(thrown, inbound.params, this.#host.definition().exposesToolErrors);
      if (failure.report) this.#host.report(failure.report);
      return failure.result;
    } finally {
      request.finishReports();
      inbound.settle();
    }
  }

  /**
   * A task that the caller may use: one of its own, with the scopes that the call of the tool needed.
   * @throws {ProtocolError} -32602 for another task, 403 for missing scopes
   */
  async usable(taskId: unknown, context: ServerContext): Promise<TaskRecord> {
    const record = await this.engine.get(String(taskId), context.caller?.principal);
    context.requireScopes(...(record.scopes ?? []));
    return record;
  }

  /** The `tasks/get` of the extension. */
  async get({ taskId }: JsonObject, context: ServerContext): Promise<DetailedTask> {
    return detailedTask(await this.usable(taskId, context));
  }

  /** The `tasks/update` of the extension. */
  async update({ taskId: id, inputResponses }: JsonObject, context: ServerContext): Promise<JsonObject> {
    const { taskId, principal } = await this.usable(id, context);
    // The method's schema has passed.
    await this.engine.update(taskId, principal, inputResponses as { [key: string]: JsonObject });
    return {};
  }

  /** The `tasks/cancel` of the extension. */
  async cancel(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const { taskId, principal } = await this.usable(params.taskId, context);
    await this.engine.cancel(taskId, principal);
    return {};
  }

  /**
   * The ids of existing tasks of the caller, for its listen stream.
   * @throws {ProtocolError} -32602 for too many, 403 if the caller lacks scopes of one
   */
  async honored(ids: unknown, context: ServerContext): Promise<string[]> {
    // The filter's schema has passed.
    const given = [...new Set(ids as string[])];
    const { maxSubscribedResources: max } = this.#host.definition();
    // Before the store is read, once per id.
    if (given.length > max) {
      throw invalidParams(`params.notifications.taskIds: expected at most ${max} tasks, got ${given.length}`);
    }
    const owned = await Promise.all(given.map((taskId) => this.#owned(taskId, context)));
    const found = owned.filter((record) => record !== undefined);
    context.requireScopes(...new Set(found.flatMap(({ scopes = [] }) => scopes)));
    return found.map(({ taskId }) => taskId);
  }

  /** The state of a task that a listen stream names; undefined if it is gone. */
  async current(taskId: string, context: ServerContext): Promise<DetailedTask | undefined> {
    const record = await this.#owned(taskId, context);
    return record && detailedTask(record);
  }

  /** A task of the caller; undefined if there is none. Streams that ask for a task at the same time share one read. */
  #owned(taskId: string, { caller }: ServerContext): Promise<TaskRecord | undefined> {
    const principal = caller?.principal;
    const key = readKey({ taskId, principal });
    const read = this.#reads.get(key) ?? this.#read(taskId, principal).finally(() => this.#reads.delete(key));
    this.#reads.set(key, read);
    return read;
  }

  async #read(taskId: string, principal: string | undefined): Promise<TaskRecord | undefined> {
    return this.engine.get(taskId, principal).catch((error: unknown) => {
      if (isDeliberate(error)) return undefined;
      throw error;
    });
  }

  /** Created by the first use, and again if the server is used after it was closed. */
  get engine(): TaskEngine {
    this.#engine ??= this.#createEngine();
    return this.#engine;
  }

  #createEngine(): TaskEngine {
    const { maxRequests: maxInputRequests } = this.#host.input;
    const engine = new TaskEngine({ ...this.#options, maxInputRequests, onError: this.#host.report });
    engine.watch((record) => {
      this.legacy.changed(record);
      // A read that began before the change may not show it.
      this.#reads.delete(readKey(record));
      // Each process learns of changes by the store. Over the bus, streams would get them once per process.
      this.#host.changes.deliver({ kind: "extension", filter: taskIds.name, topic: record.taskId });
    });
    return engine;
  }

  get #detached(): ConnectionState {
    this.#connection ??= new DetachedConnection(this.#host.definition());
    return this.#connection;
  }
}

function readKey({ taskId, principal }: Pick<TaskRecord, "taskId" | "principal">): string {
  return JSON.stringify([principal, taskId]);
}

/** Who called, without the claims of the token, which may be secret. */
type StoredAuth = Pick<AuthInfo, "issuer" | "subject" | "clientId" | "audience" | "scopes">;

/** The part of the call that a further run needs besides its params. */
interface StoredContext {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Absent for a call without a caller, whose scopes are not checked. */
  readonly caller: { readonly auth: StoredAuth | undefined } | undefined;
}

function creationOf({ tool, params, context }: TaskToolCall, ttlMs: number | null | undefined = tool.task?.ttlMs) {
  const { requestState: _state, inputResponses: _responses, ...own } = params;
  const { revision, clientInfo, clientCapabilities } = context;
  const caller = context.caller && { auth: context.auth && storedAuth(context.auth) };
  const stored = { revision, clientInfo, clientCapabilities, caller };
  return {
    principal: context.caller?.principal,
    method: "tools/call",
    params: own,
    context: stored satisfies StoredContext,
    scopes: tool.scopes,
    mayRerun: tool.task?.rerun === true,
    ttlMs,
    pollIntervalMs: tool.task?.pollIntervalMs,
  };
}

function storedAuth({ issuer, subject, clientId, audience, scopes }: AuthInfo): StoredAuth {
  return { issuer, subject, clientId, audience, scopes };
}

function sourceOf({ params, context }: TaskToolCall): TaskCallSource {
  const { requestId: id, caller, era } = context;
  const { connection } = context.routed;
  const notify = (method: string, sent: JsonObject) => connection.notify(method, sent);
  return { id, params, caller, notify: era === "legacy" ? notify : undefined };
}

function createdResult(record: TaskRecord): JsonObject {
  return { ...createdTask.of(taskState(record)) };
}

/** @throws {SdkError} `invalid-result` */
function finishedResult(result: unknown): JsonObject {
  // `runTool` returns objects.
  const finished = result as JsonObject;
  const complaint =
    finished.resultType === undefined
      ? outgoingComplaint(finished, undefined, false)
      : `result.resultType: a task ends with a finished result, got ${JSON.stringify(finished.resultType)}`;
  if (complaint === undefined) return finished;
  throw new SdkError("invalid-result", `A task was finished with no valid result: ${complaint}`);
}

/** Replaces an error code that the specification reserves. */
function withOwnCode(error: ProtocolError, { era, revision }: ServerContext): ProtocolError {
  const codec = era === "modern" ? modernServerCodec : legacyServerCodec;
  const code = codec.encodeErrorCode(error.code, error.data, revision);
  return code === error.code ? error : new ProtocolError(code, error.message, { data: error.data, cause: error });
}

function openQuestions(): SdkError {
  return new SdkError("invalid-argument", "startTask: await the answers to all questions before the task starts");
}

function endedBefore(taskId: string): SdkError {
  return new SdkError("request-aborted", `The task ${taskId} was over before its handler could go on`);
}
